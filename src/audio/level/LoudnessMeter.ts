/** Integrated loudness after ITU-R BS.1770-4: K-weighted, gated, at any sample rate. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { endOfStep, LoudnessSteps } from "./LoudnessSteps.ts"
import type { Buffer32 } from "../kernels/BufferPool.ts"

/** What is reported where nothing passes the absolute gate: digital silence, or next to it. */
const silence = -70

/** Measures a stream block by block. Channels are interleaved and weigh 1 each (mono, stereo). */
export class LoudnessMeter {
  private readonly gate: LoudnessGate
  private readonly steps: LoudnessSteps

  constructor(rate: SampleRate, channels: number, room?: Buffer32) {
    this.gate = new LoudnessGate(rate)
    this.steps = new LoudnessSteps(rate, channels, (power) => this.gate.take(power), room)
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    this.steps.push(block)
  }

  /**
   * The integrated loudness in LUFS of what was taken so far, -70 at least and under 400 ms. More may be pushed
   * afterwards.
   */
  integrated(): number {
    return this.gate.integrated()
  }
}

/** Gating blocks of about one loudness. */
interface Alike {
  count: number
  power: number
}

/**
 * Loudness from the power of one step after the other, in memory that does not grow with their number: gating blocks
 * are counted in steps of 0.01 LU, with their exact power. Of those steps a clip meets a few: only what is met takes
 * memory.
 */
export class LoudnessGate {
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

  /** The integrated loudness in LUFS of what was taken so far, -70 at least and under 400 ms. */
  integrated(): number {
    const inOrder = Array.from(this.bins).sort(([one], [other]) => one - other)
    const all = meanOf(inOrder, 0)
    if (all === undefined) return silence
    const gate = Math.max(0, Math.ceil((loudness(all) - 10 - silence) / binWidth))
    const gated = meanOf(inOrder, gate)
    return gated === undefined ? silence : loudness(gated)
  }
}

/** The mean power of the blocks from a bin on. */
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
/** From -70 LUFS to +20. */
const lastBin = 8_999

const loudness = (power: number): number => (power > 0 ? -0.691 + 10 * Math.log10(power) : -Infinity)
