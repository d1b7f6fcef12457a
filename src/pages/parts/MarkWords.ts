/** Labels and explanations of the marks on cues to check; shared by the pages and their scripts. */

/** The marks, worst first. */
export const marks = {
  failed: { word: "not spoken", meaning: "it could not be spoken" },
  silent: { word: "left silent", meaning: "it could not be spoken, and the job allows a gap" },
  cut: { word: "cut off", meaning: "the film ends before the line does" },
  "wrong-language": { word: "wrong language", meaning: "another language was heard" },
  "wrong-line": { word: "wrong words", meaning: "another text was heard, often a neighbour's" },
  "missing-words": { word: "words missing", meaning: "words were not heard" },
  "cut-off-words": { word: "end missing", meaning: "the end of the line was not heard" },
  "tag-spoken": { word: "tag spoken", meaning: "markup or a direction was read aloud" },
  "doubled-words": { word: "words doubled", meaning: "words were heard twice" },
  "invented-words": { word: "words added", meaning: "words were heard that the line does not have" },
  suspect: { word: "sounds odd", meaning: "its audio is unusual: listen to it" },
  overlap: { word: "overlaps", meaning: "still playing when a cue starts that should come after it" },
  overrun: { word: "runs over", meaning: "ends later after its cue than the job's fit.late allows" },
  fast: { word: "rushed", meaning: "played faster than the job's maxSpeed" },
  late: { word: "starts late", meaning: "starts 0.2 s or more after its cue" },
  early: { word: "starts early", meaning: "starts 0.2 s or more before its cue" },
  together: {
    word: "shares audio",
    meaning: "spoken together with its neighbours; the audio could not be split"
  },
  rewritten: { word: "rewritten", meaning: "a rewriter's text that nobody has checked" },
  proposal: { word: "shorter text", meaning: "a rewriter proposes a text that fits" },
  held: { word: "picture waits", meaning: "the picture is held or slowed so that it fits" },
  "repeated-take": { word: "second take", meaning: "spoken again, faster, to fit" }
} satisfies Readonly<Record<string, { readonly word: string; readonly meaning: string }>>

/** A cue's mark: `failed`, `overlap` with the same speaker's next cue, or one of its report flags. */
export type MarkName = keyof typeof marks

/** The names of all marks, worst first. */
export const markNames: ReadonlyArray<MarkName> = [
  "failed",
  "silent",
  "cut",
  "wrong-language",
  "wrong-line",
  "missing-words",
  "cut-off-words",
  "tag-spoken",
  "doubled-words",
  "invented-words",
  "suspect",
  "overlap",
  "overrun",
  "fast",
  "late",
  "early",
  "together",
  "rewritten",
  "proposal",
  "held",
  "repeated-take"
]
