/** Integrated loudness after ITU-R BS.1770-4: K-weighted, gated, at any sample rate. */
import type { SampleRate } from "../domain/Units.ts"
import { endOfStep, LoudnessSteps } from "./LoudnessSteps.ts"

/** What is reported where nothing passes the absolute gate: digital silence, or next to it. */
const silence = -70

/** Measures a stream block by block. Channels are interleaved and weigh 1 each (mono, stereo). */
export class LoudnessMeter {
  private readonly gate: LoudnessGate
  private readonly steps: LoudnessSteps

  constructor(rate: SampleRate, channels: number) {
    this.gate = new LoudnessGate(rate)
    this.steps = new LoudnessSteps(rate, channels, (power) => this.gate.take(power))
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    this.steps.push(block)
  }

  /** The integrated loudness in LUFS of what was taken so far, -70 at least and under 400 ms. More may be pushed afterwards. */
  integrated(): number {
    return this.gate.integrated()
  }
}

/**
 * Loudness from the power of one step after the other, in memory that does not grow: gating blocks are counted in steps of 0.01 LU,
 * with their exact power.
 */
export class LoudnessGate {
  /** Power sums of the last steps; four make one gating block. */
  private readonly steps = new Float64Array(4)
  private readonly counts = new Float64Array(bins)
  private readonly powers = new Float64Array(bins)
  private count = 0

  constructor(private readonly rate: SampleRate) {}

  /** Takes the power of the next step. */
  take(stepPower: number): void {
    this.steps[this.count % 4] = stepPower
    this.count++
    if (this.count < 4) return
    const { steps, count, rate } = this
    const length = endOfStep(count - 1, rate) - (count === 4 ? 0 : endOfStep(count - 5, rate))
    const power = (steps[0]! + steps[1]! + steps[2]! + steps[3]!) / length
    const level = loudness(power)
    if (!(level > silence)) return
    const bin = Math.min(bins - 1, Math.floor((level - silence) / binWidth))
    this.counts[bin]!++
    this.powers[bin]! += power
  }

  /** The integrated loudness in LUFS of what was taken so far, -70 at least and under 400 ms. */
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
}

const binWidth = 0.01
/** From -70 LUFS to +20. */
const bins = 9_000

const loudness = (power: number): number => (power > 0 ? -0.691 + 10 * Math.log10(power) : -Infinity)
