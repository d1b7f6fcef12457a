/**
 * Meter of delivered files with any channels: integrated loudness (ITU-R BS.1770-4), loudness range (EBU Tech 3342:
 * https://tech.ebu.ch/docs/tech/tech3342.pdf), true peak, and the loudness of the spoken lines.
 */
import type { SampleRate } from "../../domain/time/Units.ts"
import { endOfStep, LoudnessSteps, stepsASecond } from "./LoudnessSteps.ts"
import { TruePeakMeter } from "./TruePeak.ts"

/** A stretch of time, in seconds. */
export interface SpokenStretch {
  readonly start: number
  readonly end: number
}

/** Measures a stream block by block. */
export class DeliveryMeter {
  /** Power of each completed step of 100 ms. */
  private readonly powers: Array<number> = []
  private readonly steps: LoudnessSteps
  private readonly peaks: TruePeakMeter

  constructor(
    private readonly rate: SampleRate,
    channels: number
  ) {
    this.steps = new LoudnessSteps(
      rate,
      channels,
      (power) => void this.powers.push(power),
      channelWeights[channels]
    )
    this.peaks = new TruePeakMeter(channels)
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    this.steps.push(block)
    this.peaks.push(block)
  }

  /** Returns the true peak, 1 at full scale. Do not call `push` afterwards. */
  truePeak(): number {
    return this.peaks.peak()
  }

  /** Returns the integrated loudness in LUFS: at least -70, and -70 below 400 ms. */
  integrated(): number {
    return gatedLoudness(this.windows(4, () => true))
  }

  /**
   * Returns the loudness of these stretches, in LUFS: the gate of BS.1770-4 over blocks that lie within one of them.
   * -70 if none is as long as a block (400 ms).
   */
  spoken(stretches: ReadonlyArray<SpokenStretch>): number {
    // For each step, the number of the stretch that contains it.
    const owner = new Map<number, number>()
    stretches.forEach(({ start, end }, stretch) => {
      const last = Math.floor(end * stepsASecond + 1e-6)
      for (let step = Math.ceil(start * stepsASecond - 1e-6); step < last; step++)
        if (!owner.has(step)) owner.set(step, stretch)
    })
    return gatedLoudness(this.windows(4, (from, to) => ownedByOne(owner, from, to)))
  }

  /** Returns the loudness range in LU; 0 below 3 seconds. */
  range(): number {
    const levels = this.windows(30, () => true)
    const loud = levels.filter((power) => loudnessOf(power) > silence)
    const gate = loudnessOf(mean(loud)) - 20
    const sorted = loud
      .map(loudnessOf)
      .filter((level) => level > gate)
      .sort((one, other) => one - other)
    const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? 0
    return at(0.95) - at(0.1)
  }

  /** Returns the mean power of every window of `length` steps, of those from step to step that are wanted. */
  private windows(length: number, isWanted: (from: number, to: number) => boolean): ReadonlyArray<number> {
    const all: Array<number> = []
    for (let to = length; to <= this.powers.length; to++) {
      const from = to - length
      if (!isWanted(from, to)) continue
      let sum = 0
      for (let step = from; step < to; step++) sum += this.powers[step]!
      all.push(sum / (endOfStep(to - 1, this.rate) - (from === 0 ? 0 : endOfStep(from - 1, this.rate))))
    }
    return all
  }
}

/** Weights by number of channels, in ffmpeg's order; low-frequency effects do not count. Others have weight 1. */
const channelWeights: Readonly<Record<number, ReadonlyArray<number>>> = {
  4: [1, 1, 1, 1.41],
  5: [1, 1, 1, 1.41, 1.41],
  6: [1, 1, 1, 0, 1.41, 1.41],
  7: [1, 1, 1, 0, 1.41, 1.41, 1.41],
  8: [1, 1, 1, 0, 1.41, 1.41, 1.41, 1.41]
}

const silence = -70

const loudnessOf = (power: number): number => (power > 0 ? -0.691 + 10 * Math.log10(power) : -Infinity)

const mean = (powers: ReadonlyArray<number>): number =>
  powers.reduce((sum, power) => sum + power, 0) / powers.length

const gatedLoudness = (powers: ReadonlyArray<number>): number => {
  const loud = powers.filter((power) => loudnessOf(power) > silence)
  const gate = loudnessOf(mean(loud)) - 10
  const gated = loud.filter((power) => loudnessOf(power) > gate)
  return gated.length === 0 ? silence : loudnessOf(mean(gated))
}

const ownedByOne = (owner: ReadonlyMap<number, number>, from: number, to: number): boolean => {
  const own = owner.get(from)
  for (let step = from; step < to; step++) if (own === undefined || owner.get(step) !== own) return false
  return true
}
