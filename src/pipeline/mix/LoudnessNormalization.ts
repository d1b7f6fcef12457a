/** A mix brought to its loudness, with its true peaks held. */
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

/** Where a programme should come to. */
export interface LoudnessGoal {
  /** LUFS; undefined leaves the mix as it is. */
  readonly loudness: number | undefined
  /** dBTP that no peak passes. */
  readonly peak: number
}

/** What a programme measures. */
export interface Measured {
  /** LUFS. */
  readonly integrated: number
  /** dBTP. */
  readonly truePeak: number
}

/** A coder that a result goes through, and its kilobits a second and channel. */
export interface Coding {
  readonly coder: LossyCoder
  readonly bitrate: number
}

/**
 * What a manifest's word or number stands for; peaks are held lower where a coder will add to them, by tenths of a
 * decibel.
 */
export const targetOf = (target: LoudnessTarget, codings: ReadonlyArray<Coding>): LoudnessGoal => {
  const { loudness, peak } = namedTarget(target)
  const above = (loudness ?? softest) - peak
  const room = Math.max(0, ...codings.map(({ coder, bitrate }) => peakRoom(coder, bitrate, above)))
  return { loudness, peak: Math.round(10 * (peak - room)) / 10 }
}

/** Softer than any loudness at which coders add more to peaks, in LUFS. */
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

/** What was listened to, in decibels. */
export const measuredOf = ({ integrated, truePeak }: ProgrammeMeasurement): Measured => ({
  integrated,
  truePeak: Math.max(-120, decibelsOf(truePeak))
})

/** By how many decibels peaks are held at most: with more, breath and noise come up to the voice. */
const mostHeld = 30

/** How often an excerpt is levelled at most. */
const mostRounds = 8

/** What the limiter takes away is more than made up for, since raising the level makes it take more. */
const overshoot = 1.2

/** The same for a programme that was levelled by an excerpt: how far it may be off before all of it is made again. */
const farOff = 0.4

/**
 * The factor that brings a programme to its target: the loudness it lacks, and where peaks must be held, what the
 * limiter takes away besides. It is found on an excerpt, so that a film need not be mixed twice.
 */
export const gainTo = Effect.fn("Levelling.gainTo")((programme: Programme, target: LoudnessGoal) =>
  withBuffers((room) => gainWithin(programme, target, room))
)

const gainWithin = Effect.fnUntraced(function* (
  programme: Programme,
  { loudness, peak }: LoudnessGoal,
  room: Buffer32
) {
  if (loudness === undefined) return 1
  const excerpt = sampleProgramme(programme)
  const { rate, channels } = excerpt
  const loudest = new TruePeakMeter(channels, room)
  const meter = new LoudnessMeter(rate, channels, room)
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
      if (search.isFound(yield* limitedLoudness(excerpt, gainOf(search.level), peak, room))) break
  return gainOf(search.level)
})

/** The factor for a programme that came to `measured` with another; undefined where that one will do. */
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
 * Why a result is softer than was asked for, where one can hear it: from some point on more level adds hardly any
 * loudness.
 */
export const loudnessError = (
  { loudness, peak }: LoudnessGoal,
  { integrated }: Measured
): string | undefined =>
  loudness === undefined || integrated <= -70 || loudness - integrated <= audibleLoudness
    ? undefined
    : `comes to ${integrated.toFixed(1)} LUFS, not to ${loudness}: its peaks are held at ${peak} dBTP; a lower loudness would spare them`

/**
 * How loud an excerpt comes out. It is mixed anew each time: that takes a moment, where its samples would take much
 * memory.
 */
const limitedLoudness = Effect.fnUntraced(function* (
  excerpt: Programme,
  gain: number,
  peak: number,
  room: Buffer32
) {
  const { rate, channels } = excerpt
  const limiter = new Limiter(rate, channels, gainOf(peak), gain, room)
  const meter = new LoudnessMeter(rate, channels, room)
  yield* Stream.runForEach(renderInThisThread(excerpt), ([block]) =>
    Effect.sync(() => meter.push(limiter.push(block)))
  )
  meter.push(limiter.flush())
  return meter.integrated()
})

/**
 * A clip at the programme's gain, its peaks held, with silence behind it up to `length` frames; its work is done in
 * rooms, in one of which it stands.
 */
export const limitPeaks = (
  samples: Float32Array,
  rate: SampleRate,
  gain: number,
  peak: number,
  length: number,
  room: Buffer32
): Float32Array => {
  const limiter = new Limiter(rate, 1, gainOf(peak), gain, room)
  const result = room(length).fill(0, samples.length)
  const first = limiter.push(samples)
  result.set(first)
  result.set(limiter.flush(), first.length)
  return result
}
