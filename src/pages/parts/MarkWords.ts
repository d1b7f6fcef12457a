/** The words of the marks on cues that a person should look at; pages and their scripts share them. */

/** The marks with their words, the gravest first. */
export const marks = {
  failed: { word: "not spoken", meaning: "it could not be spoken" },
  silent: { word: "left silent", meaning: "it could not be spoken, and the job allows a gap" },
  cut: { word: "cut off", meaning: "the film ends before it is said" },
  suspect: { word: "sounds odd", meaning: "something about its audio is unusual: listen to it" },
  overlap: { word: "overlaps", meaning: "is still heard when the same speaker's next cue starts" },
  overrun: { word: "runs over", meaning: "ends later after its cue than the job allows" },
  fast: { word: "rushed", meaning: "is played faster than the job's maxSpeed" },
  late: { word: "starts late", meaning: "starts 0.2 s or more after its cue" },
  early: { word: "starts early", meaning: "starts 0.2 s or more before its cue" },
  together: { word: "shares audio", meaning: "spoken with its neighbours, which could not be told apart" },
  "repeated-take": { word: "second take", meaning: "spoken once more to fit" }
} satisfies Readonly<Record<string, { readonly word: string; readonly meaning: string }>>

/** What a cue is marked with: that it failed, that it overlaps its speaker's next cue, or one of its flags. */
export type MarkName = keyof typeof marks

/** The names of all marks, the gravest first. */
export const markNames: ReadonlyArray<MarkName> = [
  "failed",
  "silent",
  "cut",
  "suspect",
  "overlap",
  "overrun",
  "fast",
  "late",
  "early",
  "together",
  "repeated-take"
]
