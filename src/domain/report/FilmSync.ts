/** How a subtitle fits the sound of its film, as report.json and `plan --json` show it. Times are seconds. */
import { Schema } from "effect"

/**
 * - `in-sync`: speech is heard where the cues are.
 * - `shifted`: all cues are off by `offset`.
 * - `rate`: the times also run at another rate.
 * - `pieces`: parts of the subtitle are off by different offsets.
 * - `unsure`: the sound does not show where the cues belong.
 * - `no-speech`: nobody speaks in the film, or it has no sound.
 */
export const SyncVerdict = Schema.Literal("in-sync", "shifted", "rate", "pieces", "unsure", "no-speech")
export type SyncVerdict = typeof SyncVerdict.Type

/** A part of the subtitle with its own offset. */
export const SyncPiece = Schema.Struct({
  /** The start of its first cue and the end of its last one, as in the file. */
  from: Schema.Number,
  to: Schema.Number,
  offset: Schema.Number
})
export type SyncPiece = typeof SyncPiece.Type

/** A subtitle compared with its film. A cue's time t is heard at `t * rate + offset`. */
export const SyncReport = Schema.Struct({
  verdict: SyncVerdict,
  /** The offset to add to the cue times, after they are multiplied by `rate`. With pieces, that of the longest. */
  offset: Schema.Number,
  rate: Schema.Number,
  pieces: Schema.Array(SyncPiece),
  /** From 0 (a guess) to 1 (certain). */
  confidence: Schema.Number,
  /** Whether the cues were moved accordingly. */
  applied: Schema.Boolean,
  /** The result in words, with the evidence. */
  summary: Schema.String
})
export type SyncReport = typeof SyncReport.Type
