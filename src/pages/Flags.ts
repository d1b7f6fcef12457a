/** What the pages say about cues that a person should look at. */
import type { CueReport } from "../domain/Report.ts"

/** What a cue is marked with: that it failed, or one of its flags. */
export type MarkName = "failed" | CueReport["flags"][number]

/** The marks with their words, the gravest first. */
export const marks: Readonly<Record<MarkName, { readonly word: string; readonly meaning: string }>> = {
  failed: { word: "failed", meaning: "could not be spoken" },
  silent: { word: "silent", meaning: "left silent because it could not be spoken" },
  cut: { word: "cut off", meaning: "the film ends before it is said" },
  suspect: { word: "suspect", meaning: "its audio sounds odd: listen to it" },
  overrun: { word: "overrun", meaning: "runs past its cue further than is allowed" },
  fast: { word: "fast", meaning: "sped up more than listeners take for natural" },
  late: { word: "late", meaning: "starts after its cue" },
  early: { word: "early", meaning: "starts before its cue" },
  together: { word: "together", meaning: "spoken with its neighbours, which could not be told apart" },
  "repeated-take": { word: "repeated take", meaning: "spoken once more to fit" }
}

/** The names of all marks, the gravest first. */
export const markNames: ReadonlyArray<MarkName> = [
  "failed",
  "silent",
  "cut",
  "suspect",
  "overrun",
  "fast",
  "late",
  "early",
  "together",
  "repeated-take"
]

/** A cue's marks, the gravest first; none where there is nothing to look at. */
export const marksOf = ({ status, flags }: Pick<CueReport, "status" | "flags">): ReadonlyArray<MarkName> =>
  markNames.filter((mark) => (mark === "failed" ? status === "failed" : flags.includes(mark)))

/** How many cues somebody should look at. */
export const looksOf = (cues: ReadonlyArray<Pick<CueReport, "status" | "flags">>): number =>
  cues.filter((cue) => marksOf(cue).length > 0).length

/** Why a cue is left unspoken, in words. */
export const skipWords: Readonly<Record<NonNullable<CueReport["skipped"]>, string>> = {
  empty: "nothing to say",
  music: "music",
  "sound-effect": "sound effect",
  repeated: "said already",
  unreadable: "nothing that can be read out",
  "other-language": "another language",
  excluded: "left out"
}
