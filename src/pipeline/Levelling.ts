/** A mix brought to its loudness, with its true peaks held. */
import { Effect, Stream } from "effect"
import { Limiter } from "../audio/Limiter.ts"
import { LoudnessMeter } from "../audio/Loudness.ts"
import { decibelsOf, gainOf, scaled } from "../audio/Pcm.ts"
import { TruePeakMeter } from "../audio/TruePeak.ts"
import type { LoudnessTarget } from "../domain/Manifest.ts"
import type { SampleRate } from "../domain/Units.ts"
import { keepMix } from "./MixFile.ts"
import { mixOf, type Programme } from "./Mixdown.ts"

/** Where a programme should come to. */
export interface LevelTarget {
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

/** The target that a manifest's word or number stands for. */
export const targetOf = (target: LoudnessTarget): LevelTarget => {
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

/** A mix at its final level; the meters hold what it came to once the stream has ended. */
export const levelled = <E, R>(
  mix: Stream.Stream<Float32Array, E, R>,
  { rate, channels }: Pick<Programme, "rate" | "channels">,
  gain: number,
  peak: number
) => {
  const meter = makeMeter({ rate, channels })
  const limiter = new Limiter(rate, channels, gainOf(peak))
  const blocks = mix.pipe(
    Stream.map((block) => limiter.push(gain === 1 ? block : scaled(block, gain))),
    Stream.concat(Stream.sync(() => limiter.flush())),
    Stream.filter((block) => block.length > 0),
    Stream.map((block) => {
      meter.push(block)
      return block
    })
  )
  return { blocks, measured: meter.measured }
}

/** The loudness by which a programme may miss its target, in LU, before it is measured once more. */
const closeEnough = 0.2

/** How often a programme is measured through the limiter at most. */
const mostRounds = 3

/** What the limiter takes away is more than made up for, since raising the level makes it take more. */
const overshoot = 1.2

/**
 * Mixes a programme to `path` and finds the factor that brings it to its target: the loudness it lacks, and where peaks must
 * be held, what the limiter takes away besides. The mix lies there as long as the scope.
 */
export const mixedTo = Effect.fn("Levelling.mixedTo")(function* (
  programme: Programme,
  { loudness, peak }: LevelTarget,
  path: string
) {
  const raw = makeMeter(programme)
  const mix = yield* keepMix(path, mixOf(programme), raw.push)
  const { integrated, truePeak } = raw.measured()
  if (loudness === undefined || integrated <= -70) return { mix, gain: 1 }
  let decibels = loudness - integrated
  if (truePeak + decibels > peak) {
    for (let round = 0; round < mostRounds; round++) {
      const { blocks, measured } = levelled(mix.blocks, programme, gainOf(decibels), peak)
      yield* Stream.runDrain(blocks)
      const short = loudness - measured().integrated
      if (Math.abs(short) <= closeEnough) break
      decibels += short * overshoot
    }
  }
  return { mix, gain: gainOf(decibels) }
})

/** A clip at the programme's gain, its peaks held. */
export const limited = (
  samples: Float32Array,
  rate: SampleRate,
  gain: number,
  peak: number
): Float32Array => {
  const limiter = new Limiter(rate, 1, gainOf(peak))
  const result = new Float32Array(samples.length)
  const first = limiter.push(scaled(samples, gain))
  result.set(first)
  result.set(limiter.flush(), first.length)
  return result
}

const makeMeter = ({ rate, channels }: Pick<Programme, "rate" | "channels">) => {
  const loudness = new LoudnessMeter(rate, channels)
  const truePeak = new TruePeakMeter(channels)
  return {
    push: (block: Float32Array): void => {
      loudness.push(block)
      truePeak.push(block)
    },
    measured: (): Measured => ({
      integrated: loudness.integrated(),
      truePeak: Math.max(-120, decibelsOf(truePeak.peak()))
    })
  }
}
