/**
 * Integrated loudness meter: K-weighted and gated, at any sample rate. ITU-R BS.1770-4:
 * https://www.itu.int/rec/R-REC-BS.1770-4-201510-S/en
 */
import type { SampleRate } from "../../domain/time/Units.ts"
import { endOfStep, LoudnessSteps } from "./LoudnessSteps.ts"

/** Reported if no block passes the absolute gate: digital silence, or almost. */
const silence = -70

/** Measures a stream block by block. Channels are interleaved, and each has weight 1 (mono, stereo). */
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

  /** Returns the integrated loudness so far, in LUFS: at least -70, and -70 below 400 ms. More samples may follow. */
  integrated(): number {
    return this.gate.integrated()
  }
}

/** Gating blocks of about the same loudness. */
interface Alike {
  count: number
  power: number
}

/**
 * Computes gated loudness from the power of 100 ms steps. Gating blocks are counted in bins of 0.01 LU, with their
 * exact power, so memory does not grow with duration. A clip touches few bins, and only those take memory.
 */
class LoudnessGate {
  /** Power sums of the last steps; four make one gating block. */
  private readonly steps = new Float64Array(4)
  private readonly bins = new Map<number, Alike>()
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
    const bin = Math.min(lastBin, Math.floor((level - silence) / binWidth))
    const alike = this.bins.get(bin)
    if (alike === undefined) this.bins.set(bin, { count: 1, power })
    else {
      alike.count++
      alike.power += power
    }
  }

  /** Returns the integrated loudness so far, in LUFS: at least -70, and -70 below 400 ms. */
  integrated(): number {
    const inOrder = Array.from(this.bins).sort(([one], [other]) => one - other)
    const all = meanOf(inOrder, 0)
    if (all === undefined) return silence
    const gate = Math.max(0, Math.ceil((loudness(all) - 10 - silence) / binWidth))
    const gated = meanOf(inOrder, gate)
    return gated === undefined ? silence : loudness(gated)
  }
}

/** Returns the mean power of the blocks in bin `from` and above; undefined if there are none. */
const meanOf = (bins: ReadonlyArray<readonly [number, Alike]>, from: number): number | undefined => {
  let count = 0
  let power = 0
  for (const [bin, alike] of bins) {
    if (bin < from) continue
    count += alike.count
    power += alike.power
  }
  return count === 0 ? undefined : power / count
}

const binWidth = 0.01
/** Bins cover -70 to +20 LUFS. */
const lastBin = 8_999

const loudness = (power: number): number => (power > 0 ? -0.691 + 10 * Math.log10(power) : -Infinity)
