/** Parts missing from a clip: providers skip what their voice cannot pronounce. */
import { Segment } from "../../domain/speech/Clip.ts"
import { Lufs, type Millis } from "../../domain/time/Units.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import type { Pcm } from "../pcm/Pcm.ts"
import { boundsWithin, type SpeechBounds } from "./SpeechTrim.ts"

/** When a part is spoken, in milliseconds from the beginning of the clip. */
export interface Expected {
  readonly start: Millis
  readonly end: Millis
}

/**
 * Returns whether the clip is silent wherever the transcript lacks a part: before, between and after the parts it has.
 */
export const isQuietBetween = (
  { rate, samples }: Pcm,
  { envelope, levels }: SpeechBounds,
  expected: ReadonlyArray<Expected | undefined>
): boolean => {
  const frameAt = (position: number) => Math.round((position * rate) / 1000)
  return expected.every((time, at) => {
    if (time !== undefined) return true
    const before = expected.slice(0, at).findLast((other) => other !== undefined)
    const behind = expected.slice(at).find((other) => other !== undefined)
    const from = before === undefined ? 0 : frameAt(before.end + besideUnsaid)
    const to = behind === undefined ? samples.length : frameAt(behind.start - besideUnsaid)
    return to <= from || boundsWithin(envelope, levels, from, to) === undefined
  })
}

/** Speech next to a missing part may extend this far beyond the transcript's times, in milliseconds. */
const besideUnsaid = 120

type Segments = readonly [Segment, ...Array<Segment>]

/**
 * Returns the segments of all parts. A missing part gets an empty segment where the next part begins, or where the last
 * one ended.
 */
export const markMissingParts = (expected: ReadonlyArray<Expected | undefined>, said: Segments): Segments => {
  let next = 0
  const [first, ...others] = expected.map((time) => {
    const here = said[next] ?? said[said.length - 1]!
    const at = next < said.length ? here.from : here.to
    if (time === undefined)
      return Segment.make({ from: at, to: at, loudness: silence, peak: 0 }, skipValidation)
    next++
    return here
  })
  return [first!, ...others]
}

/** Loudness of silence, in LUFS. */
const silence = Lufs.make(-70)
