/** K-weighted power of a stream per 100 ms step, from which loudness is computed (ITU-R BS.1770-4). */
import type { SampleRate } from "../../domain/time/Units.ts"
import { addPower, loudestOf } from "../kernels/Kernels.ts"
import { doublesIn, newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"

/** Steps per second. */
export const stepsASecond = 10

/** Returns the first frame after a step. Computed from the step's number, so that rounding does not accumulate. */
export const endOfStep = (step: number, rate: SampleRate): number =>
  Math.round(((step + 1) * rate) / stepsASecond)

/** Measures a stream block by block. Channels are interleaved, and each has weight 1 (mono, stereo). */
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
    allocate: Buffer32 = newBuffer
  ) {
    this.filters = Array.from({ length: channels }, () => new Weighting(rate, allocate))
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
        this.filters[channel]!.take(block, at * channels + channel, channels, take)
      at += take
      this.frames += take
      if (this.frames === this.stepEnd) this.endStep()
    }
  }

  private endStep(): void {
    let power = 0
    for (const filter of this.filters) power += filter.settle()
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
  /** Coefficients and state of both filters, in the kernel's layout. */
  private readonly filters: Float64Array
  /** Whether the filters' state is zero. */
  private resting = true

  constructor(rate: SampleRate, allocate: Buffer32) {
    this.filters = doublesIn(allocate, sumAt + 1)
    const [shelf, highPass] = [steppingOf(shelfAt(rate)), steppingOf(highPassAt(rate))]
    shelf.forEach((weight, at) => this.filters.set([weight, highPass[at]!], 2 * at))
    this.filters.fill(0, memoryAt)
  }

  /** Takes the next `count` samples, from `from` on, every `stride`-th one. */
  take(samples: Float32Array, from: number, stride: number, count: number): void {
    // Silence after silence: nothing to filter.
    if (this.resting && isSilent(samples, from, stride, count)) return
    this.resting = false
    addPower(samples, from, stride, count, this.filters)
  }

  /**
   * Ends a step; returns the sum of its squared weighted samples. Clears state smaller than 1e-12 (-240 dBFS), which
   * would decay to denormals that slow processors down.
   */
  settle(): number {
    const { filters } = this
    const power = filters[sumAt]!
    filters.fill(0, memoryEnd)
    this.resting = filters.subarray(memoryAt, memoryEnd).every((value) => Math.abs(value) < 1e-12)
    if (this.resting) filters.fill(0, memoryAt)
    return power
  }
}

// Where the filters' state begins and ends, and where the high-pass filter's sum is.
const memoryAt = 10
const memoryEnd = 18
const sumAt = 19

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
 * Converts coefficients to the kernel's form. The first three weigh the input for the current output, for one step
 * later and for two steps later. The other two weigh the state for the latter two.
 */
const steppingOf = ([b0, b1, b2, a1, a2]: Biquad): Biquad => [b0, b1 - a1 * b0, b2 - a2 * b0, a1, a2]
