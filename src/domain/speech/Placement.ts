/** Placements: where on the timeline, and how fast, each line plays. */
import { Schema } from "effect"
import { SpeakerName, UtteranceKey } from "../values/Ids.ts"
import { LineRef } from "./Utterance.ts"
import { Millis } from "../time/Units.ts"

/** Reasons to look at a cue in review. */
export const Flag = Schema.Literal(
  "early",
  "late",
  "fast",
  "overrun",
  "overlap",
  "together",
  "repeated-take",
  "held",
  "suspect",
  "silent",
  "cut",
  "missing-words",
  "invented-words",
  "doubled-words",
  "cut-off-words",
  "wrong-line",
  "tag-spoken",
  "wrong-language",
  "not-heard",
  "proposal",
  "rewritten",
  "not-rewritten"
)
export type Flag = typeof Flag.Type

/** One segment of an utterance's clip. */
export class ClipPart extends Schema.Class<ClipPart>("ClipPart")({
  utterance: UtteranceKey,
  /** Position from 0 among the clip's segments. */
  segment: Schema.NonNegativeInt
}) {}

/**
 * A stretch of one speaker's speech on the result's timeline, usually one line from one segment.
 *
 * A line spoken in several pieces has several parts, played in sequence. Lines that could not be separated share one
 * placement.
 */
export class Placement extends Schema.Class<Placement>("Placement")({
  lines: Schema.NonEmptyArray(LineRef),
  parts: Schema.NonEmptyArray(ClipPart),
  speaker: Schema.optional(SpeakerName),
  start: Millis,
  /** Where the speech ends. */
  end: Millis,
  /** Speed factor relative to the recording; 1 is unchanged. */
  speed: Schema.Positive,
  flags: Schema.Array(Flag),
  /** How many characters to cut so that the lines fit their slot. Absent if they fit. */
  shortenBy: Schema.optional(Schema.Positive.pipe(Schema.int()))
}) {}

/** Limits for moving lines and changing their speed. Times are in milliseconds. */
export class FitLimits extends Schema.Class<FitLimits>("FitLimits")({
  /** The speed up to which a line may be sped up to fit; 1 is unchanged. */
  maxSpeed: Schema.Number,
  /** Never exceeded, even if the line then overruns. */
  hardMaxSpeed: Schema.Number,
  /** The speed down to which a line may be slowed so that it fills its slot; absent for 1. */
  minSpeed: Schema.optional(Schema.Number),
  /** How far before its cue a line may start. */
  early: Millis,
  /** How far past its cue's end a line may run without counting as an overrun. */
  late: Millis
}) {}

/** How the picture gives way to lines that do not fit otherwise. */
export interface PictureLimits {
  /** `hold`: the last frame of a cue stays; `slow`: the cue's picture runs slower. */
  readonly mode: "hold" | "slow"
  /** The most milliseconds that are added for one cue. */
  readonly maxHold: Millis
  /** The speed down to which the picture is slowed; 1 is unchanged. */
  readonly minPictureSpeed: number
}

/**
 * Returns whether speech that lasts `length` milliseconds is faster than a limit. Differences within the rounding of
 * times to milliseconds do not count.
 */
export const isFaster = (speed: number, length: number, limit: number): boolean =>
  length * (speed / limit - 1) > 0.5 + 1e-9

/** A cue with less speech than this share of its length is hollow: the mouth moves on in silence. */
const minFilled = 0.6

type Span = { readonly start: number; readonly end: number }

/**
 * Says how speech fills cues, by the times of both in milliseconds. `isochrony` is Σ|speech ∩ cue| / Σ|speech ∪ cue|, 1
 * if there is nothing to say. `empty` is the rest of the cues, in seconds, and the number of hollow ones.
 */
export const filledBy = (cues: ReadonlyArray<Span & { readonly heard: Span }>) => {
  let [common, covered, empty, hollow] = [0, 0, 0, 0]
  for (const { start, end, heard } of cues) {
    const shared = Math.max(0, Math.min(end, heard.end) - Math.max(start, heard.start))
    common += shared
    covered += end - start + (heard.end - heard.start) - shared
    empty += end - start - shared
    if (shared < minFilled * (end - start)) hollow++
  }
  return {
    isochrony: covered === 0 ? 1 : Math.round((1000 * common) / covered) / 1000,
    empty: { seconds: Math.round(empty / 100) / 10, cues: hollow }
  }
}
