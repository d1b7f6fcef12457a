/** What the pages say about cues that a person should look at. */
import type { CueReport } from "../domain/Report.ts"
import { overlapsIn } from "./Harm.ts"

/** What a cue is marked with: that it failed, that it overlaps its speaker's next cue, or one of its flags. */
export type MarkName = "failed" | "overlap" | CueReport["flags"][number]

/** The marks with their words, the gravest first. */
export const marks: Readonly<Record<MarkName, { readonly word: string; readonly meaning: string }>> = {
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
}

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

/** What the marks of a cue depend on. */
export type Marked = Pick<CueReport, "status" | "flags" | "start" | "end" | "placed" | "speaker">

/** Each cue's marks, the gravest first; none where there is nothing to check. */
export const marksIn = (cues: ReadonlyArray<Marked>): ReadonlyArray<ReadonlyArray<MarkName>> => {
  const overlaps = overlapsIn(cues)
  return cues.map(({ status, flags }, at) =>
    markNames.filter((mark) =>
      mark === "failed"
        ? status === "failed"
        : mark === "overlap"
          ? (overlaps[at] ?? 0) > 0
          : flags.includes(mark)
    )
  )
}

/** How many cues somebody should look at. */
export const looksOf = (cues: ReadonlyArray<Marked>): number =>
  marksIn(cues).filter((names) => names.length > 0).length

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
