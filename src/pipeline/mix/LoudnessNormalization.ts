/** Brings a mix to its target loudness and limits its true peaks. */
import { Effect, Stream } from "effect"
import { audibleLoudness, GainSearch } from "../../audio/level/GainSearch.ts"
import { Limiter } from "../../audio/level/Limiter.ts"
import type { ProgrammeMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { LoudnessMeter } from "../../audio/level/LoudnessMeter.ts"
import { decibelsOf, gainOf } from "../../audio/pcm/Pcm.ts"
import type { Buffer32 } from "../../audio/kernels/BufferPool.ts"
import { TruePeakMeter } from "../../audio/level/TruePeak.ts"
import type { LoudnessTarget } from "../../domain/manifest/SoundSettings.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { type LossyCoder, peakRoom } from "../../ffmpeg/encode/LossyCodecs.ts"
import { sampleProgramme } from "./LoudnessSample.ts"
import { withBuffers } from "./BufferScope.ts"
import type { Programme } from "./MixPlan.ts"
import { renderInThisThread } from "./ProgrammeRenderer.ts"

/** The loudness and peak that a programme should have. */
export interface LoudnessGoal {
  /** LUFS; undefined leaves the mix unchanged. */
  readonly loudness: number | undefined
  /** The highest allowed true peak in dBTP. */
  readonly peak: number
}

/** Measured loudness and true peak of a programme. */
export interface Measured {
  /** LUFS. */
  readonly integrated: number
  /** dBTP. */
  readonly truePeak: number
}

/** A codec that an output goes through, and its kilobits per second and channel. */
export interface Coding {
  readonly coder: LossyCoder
  readonly bitrate: number
}

/** Translates the manifest's loudness setting. Leaves room, in tenths of a decibel, for what codecs add to peaks. */
export const targetOf = (target: LoudnessTarget, codings: ReadonlyArray<Coding>): LoudnessGoal => {
  const { loudness, peak } = namedTarget(target)
  const above = (loudness ?? softest) - peak
  const headroom = Math.max(0, ...codings.map(({ coder, bitrate }) => peakRoom(coder, bitrate, above)))
  return { loudness, peak: Math.round(10 * (peak - headroom)) / 10 }
}

/** In LUFS, below any loudness at which codecs add more to peaks. */
const softest = -70

const namedTarget = (target: LoudnessTarget): LoudnessGoal => {
  switch (target) {
    case "none":
      return { loudness: undefined, peak: -1 }
    case "ebu-r128":
      return { loudness: -23, peak: -1 }
    case "podcast":
      return { loudness: -16, peak: -1 }
    default:
      return { loudness: target, peak: -1.5 }
  }
}

/** Converts a meter's result to decibels. */
export const measuredOf = ({ integrated, truePeak }: ProgrammeMeasurement): Measured => ({
  integrated,
  truePeak: Math.max(-120, decibelsOf(truePeak))
})

/** Maximum peak reduction in dB: beyond that, breath and noise rise to the level of the voice. */
const mostHeld = 30

/** Maximum number of rounds of the gain search on one excerpt. */
const mostRounds = 8

/** Factor on the missing loudness: a higher level makes the limiter take away more, so the correction overshoots. */
const overshoot = 1.2

/** Deviation in LU from which a programme levelled by an excerpt is rendered again. */
const farOff = 0.4

/**
 * Returns the gain factor for a target: the missing loudness plus, if peaks are limited, the loudness that the limiter
 * removes. It is measured on an excerpt, so that a film is not mixed twice.
 */
export const gainTo = Effect.fn("LoudnessNormalization.gainTo")(
  (programme: Programme, target: LoudnessGoal) =>
    withBuffers((allocate) => gainWithin(programme, target, allocate))
)

const gainWithin = Effect.fnUntraced(function* (
  programme: Programme,
  { loudness, peak }: LoudnessGoal,
  allocate: Buffer32
) {
  if (loudness === undefined) return 1
  const excerpt = sampleProgramme(programme)
  const { rate, channels } = excerpt
  const loudest = new TruePeakMeter(channels, allocate)
  const meter = new LoudnessMeter(rate, channels)
  yield* Stream.runForEach(renderInThisThread(excerpt), ([block]) =>
    Effect.sync(() => {
      loudest.push(block)
      meter.push(block)
    })
  )
  const integrated = meter.integrated()
  const truePeak = decibelsOf(loudest.peak())
  if (integrated <= -70) return 1
  const search = new GainSearch(loudness, loudness - integrated, peak - truePeak + mostHeld)
  if (truePeak + search.level > peak)
    for (let round = 0; round < mostRounds; round++)
      if (search.isFound(yield* limitedLoudness(excerpt, gainOf(search.level), peak, allocate))) break
  return gainOf(search.level)
})

/** Returns a corrected gain for a programme that measured `measured` with `gain`; undefined if that is close enough. */
export const refineGain = (
  gain: number,
  { loudness }: LoudnessGoal,
  { integrated }: Measured
): number | undefined => {
  if (loudness === undefined || integrated <= -70) return undefined
  const short = loudness - integrated
  return Math.abs(short) <= farOff ? undefined : gain * gainOf(short * overshoot)
}

/**
 * Returns a warning if a result is audibly softer than its target: above some level, more gain adds hardly any
 * loudness.
 */
export const loudnessError = (
  { loudness, peak }: LoudnessGoal,
  { integrated }: Measured
): string | undefined =>
  loudness === undefined || integrated <= -70 || loudness - integrated <= audibleLoudness
    ? undefined
    : `reaches ${integrated.toFixed(1)} LUFS instead of ${loudness}, because peaks are limited to ${peak} dBTP; set a lower loudness to keep the peaks`

/**
 * Measures an excerpt's loudness behind the limiter. The excerpt is mixed again each time, which is quick, while
 * keeping its samples would take much memory.
 */
const limitedLoudness = Effect.fnUntraced(function* (
  excerpt: Programme,
  gain: number,
  peak: number,
  allocate: Buffer32
) {
  const { rate, channels } = excerpt
  const limiter = new Limiter(rate, channels, gainOf(peak), gain, allocate)
  const meter = new LoudnessMeter(rate, channels)
  yield* Stream.runForEach(renderInThisThread(excerpt), ([block]) =>
    Effect.sync(() => meter.push(limiter.push(block)))
  )
  meter.push(limiter.flush())
  return meter.integrated()
})

/**
 * Returns a clip at the programme's gain with its peaks limited, padded with silence to `length` frames. The result is
 * in a buffer taken from `allocate`.
 */
export const limitPeaks = (
  samples: Float32Array,
  rate: SampleRate,
  gain: number,
  peak: number,
  length: number,
  allocate: Buffer32
): Float32Array => {
  const limiter = new Limiter(rate, 1, gainOf(peak), gain, allocate)
  const result = allocate(length).fill(0, samples.length)
  const first = limiter.push(samples)
  result.set(first)
  result.set(limiter.flush(), first.length)
  return result
}
