/** How much K-weighted power a stream has in each tenth of a second, after ITU-R BS.1770-4: what its loudness is made of. */
import type { SampleRate } from "../domain/Units.ts"
import { addPower, loudestOf } from "./Kernels.ts"

/** Steps in a second. */
export const stepsASecond = 10

/** The first frame past a step, from its absolute position. */
export const endOfStep = (step: number, rate: SampleRate): number =>
  Math.round(((step + 1) * rate) / stepsASecond)

/** Takes a stream block by block. Channels are interleaved and weigh 1 each (mono, stereo). */
export class LoudnessSteps {
  private readonly filters: ReadonlyArray<Weighting>
  private frames = 0
  private step = 0
  private stepEnd: number

  /** `ended` is given the power of each step as soon as all of it has passed: the sum of its samples' squares, all channels. */
  constructor(
    private readonly rate: SampleRate,
    private readonly channels: number,
    private readonly ended: (power: number) => void
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
 * The K-weighting of one channel: a high shelf for the head, then a high pass. The standard tabulates the coefficients for
 * 48 kHz; for other rates they are derived from the analogue prototypes behind that table by the bilinear transform.
 */
class Weighting {
  /** The shelf's coefficients, the high pass's, and the memory of both, as the kernel takes them. */
  private readonly filters: Float64Array
  /** Whether the memory is empty. */
  private resting = true

  constructor(rate: SampleRate) {
    this.filters = Float64Array.from([...shelfAt(rate), ...highPassAt(rate), 0, 0, 0, 0, 0])
  }

  /** Takes the next `count` samples, read from `from` on in steps of `stride`. */
  take(samples: Float32Array, from: number, stride: number, count: number): void {
    // Silence behind silence: nothing to filter.
    if (this.resting && isSilent(samples, from, stride, count)) return
    this.resting = false
    addPower(samples, from, stride, count, this.filters)
  }

  /**
   * Ends a step: the sum of the squares of its weighted samples. Forgets what is too small to matter, which processors are slow with:
   * 240 dB under full scale.
   */
  settle(): number {
    const { filters } = this
    const power = filters[sumAt]!
    filters[sumAt] = 0
    this.resting = true
    for (let i = memoryAt; i < sumAt; i++)
      if (Math.abs(filters[i]!) < 1e-12) filters[i] = 0
      else this.resting = false
    return power
  }
}

// Where the memory of the filters begins, and the sum stands.
const memoryAt = 7
const sumAt = 11

const isSilent = (samples: Float32Array, from: number, stride: number, count: number): boolean => {
  if (stride === 1) return loudestOf(samples, from, from + count) === 0
  for (let i = 0, at = from; i < count; i++, at += stride) if (samples[at] !== 0) return false
  return true
}

/** b0, b1, b2, a1 and a2. */
const shelfAt = (rate: number): ReadonlyArray<number> => {
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

/** a1 and a2; its b are 1, -2 and 1. */
const highPassAt = (rate: number): ReadonlyArray<number> => {
  const k = Math.tan((Math.PI * 38.13547087602444) / rate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]
}
