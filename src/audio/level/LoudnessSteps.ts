/** K-weighted power of a stream per 100 ms step, from which loudness is computed (ITU-R BS.1770-4). */
import type { SampleRate } from "../../domain/time/Units.ts"
import { loudestOf } from "../kernels/Kernels.ts"

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
  private readonly filters: ReadonlyArray<Weighting>
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
    this.filters = Array.from({ length: channels }, () => new Weighting(rate))
    this.stepEnd = endOfStep(0, rate)
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    const { channels } = this
    const count = block.length / channels
    let at = 0
    while (at < count) {
      const take = Math.min(count - at, this.stepEnd - this.frames)
      for (let channel = 0; channel < channels; channel++)
        if (this.weights[channel] !== 0)
          this.filters[channel]!.take(block, at * channels + channel, channels, take)
      at += take
      this.frames += take
      if (this.frames === this.stepEnd) this.endStep()
    }
  }

  private endStep(): void {
    let power = 0
    for (let channel = 0; channel < this.channels; channel++)
      power += this.filters[channel]!.settle() * (this.weights[channel] ?? 1)
    this.stepEnd = endOfStep(++this.step, this.rate)
    this.ended(power)
  }
}

/**
 * K-weighting of one channel: a high shelf that models the head, then a high-pass filter. The standard tabulates
 * coefficients for 48 kHz. For other rates, they are derived by the bilinear transform from the analogue prototypes of
 * that table.
 */
class Weighting {
  private readonly shelf: Float64Array
  private readonly highPass: Float64Array
  /** State: two values per filter, and the last two outputs of the first one. */
  private readonly state = new Float64Array(6)
  /** Whether all of the state is zero. */
  private resting = true
  /** Sum of the step's squared weighted samples. */
  private power = 0

  constructor(rate: SampleRate) {
    this.shelf = Float64Array.from(steppingOf(shelfAt(rate)))
    this.highPass = Float64Array.from(steppingOf(highPassAt(rate)))
  }

  /** Takes the next `count` samples, from `from` on, every `stride`-th one. */
  take(samples: Float32Array, from: number, stride: number, count: number): void {
    // Silence after silence: nothing to filter.
    if (this.resting && isSilent(samples, from, stride, count)) return
    this.resting = false
    const { shelf, highPass, state } = this
    // Read one by one: V8 would keep the numbers of a destructured array on the heap, and the loop would take several
    // times as long.
    const b0 = shelf[0]!
    const b1 = shelf[1]!
    const b2 = shelf[2]!
    const a1 = shelf[3]!
    const a2 = shelf[4]!
    const d1 = highPass[1]!
    const d2 = highPass[2]!
    const c1 = highPass[3]!
    const c2 = highPass[4]!
    let s1 = state[0]!
    let s2 = state[1]!
    let t1 = state[2]!
    let t2 = state[3]!
    let y1 = state[4]!
    let y2 = state[5]!
    let { power } = this
    // The second filter uses the first one's output from two samples earlier, so neither waits for the other.
    for (let i = 0, at = from; i < count; i++, at += stride) {
      const x = samples[at]!
      const y = b0 * x + s1
      const z = y2 + t1
      const a = a2 * s1
      s1 = b1 * x + s2 - a1 * s1
      s2 = b2 * x - a
      const c = c2 * t1
      t1 = d1 * y2 + t2 - c1 * t1
      t2 = d2 * y2 - c
      y2 = y1
      y1 = y
      power += z * z
    }
    state.set([s1, s2, t1, t2, y1, y2])
    this.power = power
  }

  /**
   * Ends a step; returns the sum of its squared weighted samples. Clears state smaller than 1e-12 (-240 dBFS), which
   * would decay to denormals that slow processors down.
   */
  settle(): number {
    const { power } = this
    this.power = 0
    this.resting = this.state.every((value) => Math.abs(value) < 1e-12)
    if (this.resting) this.state.fill(0)
    return power
  }
}

const isSilent = (samples: Float32Array, from: number, stride: number, count: number): boolean => {
  if (stride === 1) return loudestOf(samples, from, from + count) === 0
  for (let i = 0, at = from; i < count; i++, at += stride) if (samples[at] !== 0) return false
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
