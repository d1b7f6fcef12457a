/** K-weighted power of a stream per 100 ms step, from which loudness is computed (ITU-R BS.1770-4). */
import type { SampleRate } from "../../domain/time/Units.ts"
import { loudestOf, weightedOf } from "../kernels/Kernels.ts"

/** Steps per second. */
export const stepsASecond = 10

/** Returns the first frame after a step. Computed from the step's number, so that rounding does not accumulate. */
export const endOfStep = (step: number, rate: SampleRate): number =>
  Math.round(((step + 1) * rate) / stepsASecond)

/** Weights by number of channels, in ffmpeg's order; low-frequency effects do not count. Others have weight 1. */
export const channelWeights: Readonly<Record<number, ReadonlyArray<number>>> = {
  4: [1, 1, 1, 1.41],
  5: [1, 1, 1, 1.41, 1.41],
  6: [1, 1, 1, 0, 1.41, 1.41],
  7: [1, 1, 1, 0, 1.41, 1.41, 1.41],
  8: [1, 1, 1, 0, 1.41, 1.41, 1.41, 1.41]
}

/** Measures a stream block by block. Channels are interleaved; their weights are 1 (mono, stereo) unless given. */
export class LoudnessSteps {
  private readonly pairs: ReadonlyArray<PairWeighting>
  private frames = 0
  private step = 0
  private stepEnd: number

  /** `ended` receives the power of each completed step: the sum of the squared weighted samples over all channels. */
  constructor(
    private readonly rate: SampleRate,
    private readonly channels: number,
    private readonly ended: (power: number) => void,
    private readonly weights: ReadonlyArray<number> = []
  ) {
    this.pairs = Array.from({ length: Math.ceil(channels / 2) }, (_, pair) =>
      2 * pair + 1 < channels ? new PairWeighting(rate, 2) : new PairWeighting(rate, 1)
    )
    this.stepEnd = endOfStep(0, rate)
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    const { channels } = this
    const count = block.length / channels
    let at = 0
    while (at < count) {
      const take = Math.min(count - at, this.stepEnd - this.frames)
      for (const [pair, weighting] of this.pairs.entries())
        weighting.take(block, at * channels + 2 * pair, channels, take)
      at += take
      this.frames += take
      if (this.frames === this.stepEnd) this.endStep()
    }
  }

  private endStep(): void {
    let power = 0
    for (const [pair, weighting] of this.pairs.entries()) {
      const powers = weighting.settle()
      for (let lane = 0; lane < powers.length; lane++)
        power += powers[lane]! * (this.weights[2 * pair + lane] ?? 1)
    }
    this.stepEnd = endOfStep(++this.step, this.rate)
    this.ended(power)
  }
}

/**
 * K-weighting of two adjacent channels, or of the last one: a high shelf that models the head, then a high-pass filter.
 * The standard tabulates coefficients for 48 kHz. For other rates, they are derived by the bilinear transform from the
 * analogue prototypes of that table.
 */
class PairWeighting {
  private readonly filters: Float64Array
  /** Whether all of the state is zero. */
  private resting = true

  /** `lanes` is the number of channels. */
  constructor(
    rate: SampleRate,
    private readonly lanes: 1 | 2
  ) {
    const [, ...highPass] = steppingOf(highPassAt(rate))
    const coefficients = [...steppingOf(shelfAt(rate)), ...highPass]
    this.filters = Float64Array.from([
      ...coefficients.flatMap((one) => [one, one]),
      ...Array.from({ length: 2 * stateValues + 2 }, () => 0)
    ])
  }

  /** Takes the next `count` frames from sample `from` on; a frame has `stride` samples. */
  take(samples: Float32Array, from: number, stride: number, count: number): void {
    // Silence after silence: nothing to filter.
    if (this.resting && this.isSilent(samples, from, stride, count)) return
    this.resting = false
    weightedOf(samples, from, stride, count, this.filters)
  }

  /**
   * Ends a step; returns the sum of each channel's squared weighted samples. Clears state smaller than 1e-12 (-240
   * dBFS), which would decay to denormals that slow processors down.
   */
  settle(): ReadonlyArray<number> {
    const { filters, lanes } = this
    const powers = Array.from(filters.subarray(powersAt, powersAt + lanes))
    filters.fill(0, powersAt)
    this.resting = true
    for (let lane = 0; lane < lanes; lane++)
      if (isFaint(filters, lane)) for (let at = stateAt + lane; at < powersAt; at += 2) filters[at] = 0
      else this.resting = false
    return powers
  }

  private isSilent(samples: Float32Array, from: number, stride: number, count: number): boolean {
    const { lanes } = this
    if (stride === lanes) return loudestOf(samples, from, from + count * stride) === 0
    for (let i = 0, at = from; i < count; i++, at += stride)
      for (let lane = 0; lane < lanes; lane++) if (samples[at + lane] !== 0) return false
    return true
  }
}

/** Values of a channel's state, and the index of the first of them, and of the powers, in the array of `weightedOf`. */
const stateValues = 6
const stateAt = 2 * 9
const powersAt = stateAt + 2 * stateValues

/** Whether all of a channel's state is smaller than 1e-12. */
const isFaint = (filters: Float64Array, lane: number): boolean => {
  for (let at = stateAt + lane; at < powersAt; at += 2) if (!(Math.abs(filters[at]!) < 1e-12)) return false
  return true
}

/** Coefficients of a second-order filter: b0, b1, b2, a1 and a2. */
type Biquad = readonly [number, number, number, number, number]

const shelfAt = (rate: number): Biquad => {
  const k = Math.tan((Math.PI * 1_681.974450955533) / rate)
  const q = 0.7071752369554196
  const high = 10 ** (3.999843853973347 / 20)
  const band = high ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return [
    (high + (band * k) / q + k * k) / a0,
    (2 * (k * k - high)) / a0,
    (high - (band * k) / q + k * k) / a0,
    (2 * (k * k - 1)) / a0,
    (1 - k / q + k * k) / a0
  ]
}

const highPassAt = (rate: number): Biquad => {
  const k = Math.tan((Math.PI * 38.13547087602444) / rate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return [1, -2, 1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]
}

/**
 * Converts coefficients to another form. The first three weigh the input for the current output, for one step
 * later and for two steps later. The other two weigh the state for the latter two.
 */
const steppingOf = ([b0, b1, b2, a1, a2]: Biquad): Biquad => [b0, b1 - a1 * b0, b2 - a2 * b0, a1, a2]
