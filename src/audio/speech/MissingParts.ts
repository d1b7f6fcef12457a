/** Parts of a clip that are not in it: a provider passes over what its voice cannot say. */
import { Segment } from "../../domain/speech/Clip.ts"
import { Lufs, type Millis } from "../../domain/time/Units.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import type { Pcm } from "../pcm/Pcm.ts"
import { boundsWithin, type SpeechBounds } from "./SpeechTrim.ts"

/** When a part is spoken, in milliseconds from the clip's beginning. */
export interface Expected {
  readonly start: Millis
  readonly end: Millis
}

/** Whether nothing is said where a transcript passes over parts: before, between and behind those that it has. */
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

/** How far beyond the times told a part may be heard, in milliseconds, beside one that is not said. */
const besideUnsaid = 120

type Segments = readonly [Segment, ...Array<Segment>]

/** The segments of all parts: an empty one, where the next begins or the last has ended, for each that is not said. */
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

/** The loudness of nothing, in LUFS. */
const silence = Lufs.make(-70)
