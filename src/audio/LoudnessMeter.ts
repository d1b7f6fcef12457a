/** Integrated loudness after ITU-R BS.1770-4: K-weighted, gated, at any sample rate. */
import type { SampleRate } from "../domain/Units.ts"
import { loudestOf, powerOf } from "./Kernels.ts"

/** What is reported where nothing passes the absolute gate: digital silence, or next to it. */
const silence = -70

/**
 * Measures a stream block by block, in memory that does not grow: gating blocks are counted in steps of 0.01 LU, with
 * their exact power. Channels are interleaved and weigh 1 each (mono, stereo).
 */
export class LoudnessMeter {
  private readonly filters: ReadonlyArray<Weighting>
  /** Power sums of the last steps of 100 ms; four make one gating block. */
  private readonly steps = new Float64Array(4)
  private readonly counts = new Float64Array(bins)
  private readonly powers = new Float64Array(bins)
  private frames = 0
  private stepIndex = 0
  private stepPower = 0
  private stepEnd: number

  constructor(
    private readonly rate: SampleRate,
    private readonly channels: number
  ) {
    this.filters = Array.from({ length: channels }, () => new Weighting(rate))
    this.stepEnd = this.endOf(0)
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    const count = block.length / this.channels
    let at = 0
    while (at < count) {
      const take = Math.min(count - at, this.stepEnd - this.frames)
      for (let channel = 0; channel < this.channels; channel++)
        this.stepPower += this.filters[channel]!.power(
          block,
          at * this.channels + channel,
          this.channels,
          take
        )
      at += take
      this.frames += take
      if (this.frames === this.stepEnd) this.endStep()
    }
  }

  /** The integrated loudness in LUFS of what was taken so far, -70 at least and under 400 ms. More may be pushed afterwards. */
  integrated(): number {
    let count = 0
    let power = 0
    for (let bin = 0; bin < bins; bin++) {
      count += this.counts[bin]!
      power += this.powers[bin]!
    }
    if (count === 0) return silence
    const gate = Math.max(0, Math.ceil((loudness(power / count) - 10 - silence) / binWidth))
    count = 0
    power = 0
    for (let bin = gate; bin < bins; bin++) {
      count += this.counts[bin]!
      power += this.powers[bin]!
    }
    return count === 0 ? silence : loudness(power / count)
  }

  /** The first frame past a step of 100 ms, from its absolute position. */
  private endOf(step: number): number {
    return Math.round(((step + 1) * this.rate) / 10)
  }

  private endStep(): void {
    for (const filter of this.filters) filter.settle()
    this.steps[this.stepIndex % 4] = this.stepPower
    this.stepPower = 0
    this.stepIndex++
    this.stepEnd = this.endOf(this.stepIndex)
    if (this.stepIndex < 4) return
    const length = this.frames - (this.stepIndex === 4 ? 0 : this.endOf(this.stepIndex - 5))
    const power = (this.steps[0]! + this.steps[1]! + this.steps[2]! + this.steps[3]!) / length
    const level = loudness(power)
    if (!(level > silence)) return
    const bin = Math.min(bins - 1, Math.floor((level - silence) / binWidth))
    this.counts[bin]!++
    this.powers[bin]! += power
  }
}

const binWidth = 0.01
/** From -70 LUFS to +20. */
const bins = 9_000

const loudness = (power: number): number => (power > 0 ? -0.691 + 10 * Math.log10(power) : -Infinity)

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
    this.filters = Float64Array.from([...shelfAt(rate), ...highPassAt(rate), 0, 0, 0, 0])
  }

  /** The sum of the squares of the next `count` weighted samples, read from `from` on in steps of `stride`. */
  power(samples: Float32Array, from: number, stride: number, count: number): number {
    // Silence behind silence: nothing to filter.
    if (this.resting && isSilent(samples, from, stride, count)) return 0
    this.resting = false
    return powerOf(samples, from, stride, count, this.filters)
  }

  /** Forgets what is too small to matter, which processors are slow with: 240 dB under full scale. */
  settle(): void {
    const { filters } = this
    this.resting = true
    for (let i = filters.length - 4; i < filters.length; i++)
      if (Math.abs(filters[i]!) < 1e-12) filters[i] = 0
      else this.resting = false
  }
}

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
