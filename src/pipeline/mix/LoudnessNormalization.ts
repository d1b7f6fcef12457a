/** Brings a mix to its target loudness and limits its true peaks. */
import { Effect, Stream } from "effect"
import { audibleLoudness, GainSearch } from "../../audio/level/GainSearch.ts"
import { Limiter } from "../../audio/level/Limiter.ts"
import type { ProgrammeMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { LoudnessMeter } from "../../audio/level/LoudnessMeter.ts"
import { LoudnessSteps } from "../../audio/level/LoudnessSteps.ts"
import { loudnessRange, spokenLoudness, type SpokenStretch } from "../../audio/level/StepLoudness.ts"
import { decibelsOf, gainOf } from "../../audio/pcm/Pcm.ts"
import type { Buffer32 } from "../../audio/kernels/BufferPool.ts"
import { TruePeakMeter } from "../../audio/level/TruePeak.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { isOwnSample, sampleProgramme } from "./LoudnessSample.ts"
import { withBuffers } from "./BufferScope.ts"
import { farOff, type LoudnessGoal } from "./LoudnessGoal.ts"
import { levelOverBackground } from "./BackgroundLevel.ts"
import { bedOf, type Programme } from "./MixLines.ts"
import { renderInThisThread } from "./ProgrammeRenderer.ts"

/** Measured loudness and true peak of a programme. */
export interface Measured {
  /** LUFS. */
  readonly integrated: number
  /** Loudness of the spoken lines, in LUFS. */
  readonly dialogue: number
  /** Loudness range in LU. */
  readonly range: number
  /** dBTP. */
  readonly truePeak: number
}

/** Converts a meter's result to decibels, and measures the spoken lines. */
export const measuredOf = (
  { integrated, truePeak, powers }: ProgrammeMeasurement,
  { rate, placements }: Pick<Programme, "rate" | "placements">
): Measured => ({
  integrated,
  dialogue: spokenLoudness(powers, rate, spokenIn(placements)),
  range: loudnessRange(powers, rate),
  truePeak: Math.max(-120, decibelsOf(truePeak))
})

const spokenIn = (placements: Programme["placements"]): ReadonlyArray<SpokenStretch> =>
  placements.map(({ start, end }) => ({ start: start / 1000, end: end / 1000 }))

/** The measured loudness to which a goal refers. */
const aimedAt = ({ over }: LoudnessGoal, { integrated, dialogue }: Measured): number =>
  over === "dialogue" ? dialogue : integrated

/** Maximum peak reduction in dB: beyond that, breath and noise rise to the level of the voice. */
const maxHeld = 30

/** Maximum number of rounds of the gain search on one excerpt. */
const maxRounds = 8

/** Factor on the missing loudness. It is above 1, because the limiter takes away more at a higher level. */
const overshoot = 1.2

/**
 * Step of gains in dB. With finer gains, a changed line would change the gain by thousandths, and with it all samples
 * of a film.
 */
const gainStep = 0.05

const rounded = (gain: number): number => gainOf(Math.round(decibelsOf(gain) / gainStep) * gainStep)

/** A gain factor, and the one to render again with if a render measured this; undefined if that is close enough. */
export interface Gain {
  readonly gain: number
  readonly again: (measured: Measured) => number | undefined
}

/**
 * Returns the gain for a target. Under a background, it is that of the voices: the background keeps its level. `known`
 * is the gain that an earlier run found for the same excerpt; it is not used under a background.
 */
export const levelFor = Effect.fn("LoudnessNormalization.levelFor")(function* (
  programme: Programme,
  target: LoudnessGoal,
  known?: number
) {
  const { bed } = bedOf(programme)
  const { loudness, over = "programme", peak, tolerance = farOff } = target
  if (bed === undefined || loudness === undefined) {
    const gain = known ?? rounded(yield* withBuffers((allocate) => gainTo(programme, target, allocate)))
    const isExact = isOwnSample(programme)
    return {
      gain,
      again: (measured) => {
        const better = isExact ? undefined : refineGain(gain, target, measured)
        return better === undefined ? undefined : rounded(better)
      }
    } satisfies Gain
  }
  const found = yield* withBuffers((allocate) =>
    levelOverBackground(programme, bed, { loudness, over, peak }, allocate)
  )
  const gain = rounded(found.gain)
  return {
    gain,
    again: (measured) => {
      const came = aimedAt(target, measured)
      const better = Math.abs(came - loudness) <= tolerance ? gain : rounded(found.corrected(came))
      return Math.abs(decibelsOf(better / gain)) < 0.05 ? undefined : better
    }
  } satisfies Gain
})

/**
 * Returns the gain factor for a target: the missing loudness plus, if peaks are limited, the loudness that the limiter
 * removes. It is measured on an excerpt, so that a film is not mixed twice.
 */
const gainTo = Effect.fn("LoudnessNormalization.gainTo")(function* (
  programme: Programme,
  goal: LoudnessGoal,
  allocate: Buffer32
) {
  const { loudness, peak } = goal
  if (loudness === undefined) return 1
  const excerpt = sampleProgramme(programme)
  const loudest = new TruePeakMeter(excerpt.channels, allocate)
  const meter = meterFor(goal, excerpt)
  yield* Stream.runForEach(renderInThisThread(excerpt), ([block]) =>
    Effect.sync(() => {
      loudest.push(block)
      meter.push(block)
    })
  )
  const integrated = meter.integrated()
  const truePeak = decibelsOf(loudest.peak())
  if (integrated <= -70) return 1
  const search = new GainSearch(loudness, loudness - integrated, peak - truePeak + maxHeld)
  if (truePeak + search.level > peak)
    for (let round = 0; round < maxRounds; round++)
      if (search.isFound(yield* limitedLoudness(excerpt, gainOf(search.level), goal, allocate))) break
  return gainOf(search.level)
})

/** Returns a corrected gain for a programme that measured `measured` with `gain`; undefined if that is close enough. */
export const refineGain = (gain: number, goal: LoudnessGoal, measured: Measured): number | undefined => {
  const came = aimedAt(goal, measured)
  if (goal.loudness === undefined || came <= -70) return undefined
  const short = goal.loudness - came
  return Math.abs(short) <= (goal.tolerance ?? farOff) ? undefined : gain * gainOf(short * overshoot)
}

/**
 * Returns a warning if a result is audibly softer than its target: above some level, more gain adds hardly any
 * loudness.
 */
export const loudnessError = (goal: LoudnessGoal, measured: Measured): string | undefined => {
  const { loudness, peak } = goal
  const came = aimedAt(goal, measured)
  return loudness === undefined || came <= -70 || loudness - came <= audibleLoudness
    ? undefined
    : `reaches ${came.toFixed(1)} LUFS instead of ${loudness}, because peaks are limited to ${peak} dBTP; set a lower loudness to keep the peaks`
}

/** Returns a warning if a background keeps a result from its goal: it is too loud by itself, or has higher peaks. */
export const backgroundError = (goal: LoudnessGoal, measured: Measured): string | undefined => {
  const { loudness, peak } = goal
  const came = aimedAt(goal, measured)
  const words = [
    ...(loudness === undefined || came - loudness <= audibleLoudness
      ? []
      : [`measures ${came.toFixed(1)} LUFS with it instead of ${loudness}`]),
    ...(measured.truePeak <= peak + 0.1
      ? []
      : [`peaks at ${measured.truePeak.toFixed(1)} dBTP, above ${peak}`])
  ]
  return words.length === 0
    ? undefined
    : `the background is too loud: the result ${words.join(" and ")}; lower the background by its gain`
}

/** Meters the loudness to which a goal refers. */
const meterFor = (
  { over }: LoudnessGoal,
  { rate, channels, placements }: Programme
): Pick<LoudnessMeter, "push" | "integrated"> => {
  if (over === undefined) return new LoudnessMeter(rate, channels)
  const powers: Array<number> = []
  const steps = new LoudnessSteps(rate, channels, (power) => void powers.push(power))
  return {
    push: (block) => steps.push(block),
    integrated: () => spokenLoudness(powers, rate, spokenIn(placements))
  }
}

/**
 * Measures an excerpt's loudness behind the limiter. The excerpt is mixed again each time, which is quick, while
 * keeping its samples would take much memory.
 */
const limitedLoudness = Effect.fnUntraced(function* (
  excerpt: Programme,
  gain: number,
  goal: LoudnessGoal,
  allocate: Buffer32
) {
  const { rate, channels } = excerpt
  const limiter = new Limiter(rate, channels, gainOf(goal.peak), gain, allocate)
  const meter = meterFor(goal, excerpt)
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
