/** Programme meter: measures loudness, true peak and waveform, section by section, in one pass. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { channelWeights, LoudnessSteps, stepsASecond } from "./LoudnessSteps.ts"
import { programmeLoudness } from "./StepLoudness.ts"
import { PeakMeter, peakStretch } from "../pcm/WaveformPeaks.ts"
import { doublesIn, newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"
import type { ChannelCount } from "../pcm/Pcm.ts"
import type { Section } from "../pcm/Section.ts"
import { interpolatorTaps } from "./InterSamplePeaks.ts"
import { TruePeakMeter } from "./TruePeak.ts"

/** Measurements of a whole programme. */
export interface ProgrammeMeasurement {
  /** LUFS, at least -70. */
  readonly integrated: number
  /** 1 is full scale. */
  readonly truePeak: number
  /** Waveform as `PeakMeter` returns it. */
  readonly peaks: Float32Array
  /** K-weighted power of each step of 100 ms. */
  readonly powers: Float64Array
}

/** The measured stream: interleaved samples; `frames` is the programme's length. */
export interface SectionMeter {
  readonly rate: SampleRate
  readonly channels: ChannelCount
  readonly frames: number
}

/** Measurements of one section. */
export interface SectionMeasurement {
  /** K-weighted power of each step. */
  readonly steps: Float64Array
  readonly truePeak: number
  readonly peaks: Float32Array
  /** Index of the section's first peak among the programme's. */
  readonly firstPeak: number
}

/** Measures one section of a programme block by block, from the section's `begin` to its `end`. */
export class ProgrammeMeter {
  /** K-weighted power of the completed steps. */
  private readonly steps: Float64Array
  private passed = 0
  private readonly loudness: LoudnessSteps
  private readonly truePeak: TruePeakMeter
  private readonly outline: PeakMeter
  private at: number

  constructor(
    private readonly listened: SectionMeter,
    private readonly section: Section,
    allocate: Buffer32 = newBuffer
  ) {
    const { rate, channels, frames } = listened
    this.steps = doublesIn(allocate, Math.ceil(((section.to - section.begin) / rate) * stepsASecond))
    this.loudness = new LoudnessSteps(
      rate,
      channels,
      (power) => (this.steps[this.passed++] = power),
      channelWeights[channels]
    )
    this.truePeak = new TruePeakMeter(channels, allocate)
    this.outline = new PeakMeter(rate, channels, frames, section.from, section.to, allocate)
    this.at = section.begin
  }

  push(block: Float32Array): void {
    const { from, to } = this.section
    const before = this.upTo(from, block)
    const within = this.upTo(to, block.subarray(before.length))
    // The highest level of a section may be between its last frame and the next.
    const behind = this.upTo(to + interpolatorTaps, block.subarray(before.length + within.length))
    this.loudness.push(before)
    this.loudness.push(within)
    this.truePeak.precede(before)
    this.truePeak.push(within)
    this.truePeak.push(behind)
    this.outline.push(within)
  }

  /** Returns the section's measurements, as if silence followed. Do not call `push` afterwards. */
  heard(): SectionMeasurement {
    const { rate, channels } = this.listened
    const { begin, from, to } = this.section
    const missing = Math.max(0, to + interpolatorTaps - this.at)
    this.truePeak.push(new Float32Array(missing * channels))
    return {
      steps: this.steps.slice(((from - begin) / rate) * stepsASecond, this.passed),
      truePeak: this.truePeak.soFar,
      peaks: this.outline.peaks(),
      firstPeak: this.outline.first
    }
  }

  /** Returns the part of the remaining block that is before `frame`. */
  private upTo(frame: number, block: Float32Array): Float32Array {
    const { channels } = this.listened
    const count = Math.min(block.length / channels, Math.max(0, frame - this.at))
    this.at += count
    return block.subarray(0, count * channels)
  }
}

/** Combines the measurements of consecutive sections. */
export class MeterCombination {
  private readonly powers: Array<Float64Array> = []
  private truePeak = 0
  private readonly peaks: Float32Array

  constructor(private readonly metered: SectionMeter) {
    const { rate, frames } = metered
    this.peaks = new Float32Array(Math.ceil(frames / peakStretch(rate, frames)))
  }

  /** Adds the next section. */
  add({ steps, truePeak, peaks, firstPeak }: SectionMeasurement): void {
    this.powers.push(steps)
    this.truePeak = Math.max(this.truePeak, truePeak)
    // Two sections can share the stretch in which one ends and the next begins.
    const shared = this.peaks[firstPeak] ?? 0
    this.peaks.set(peaks, firstPeak)
    if (peaks.length > 0) this.peaks[firstPeak] = Math.max(shared, peaks[0]!)
  }

  measures(): ProgrammeMeasurement {
    const powers = new Float64Array(this.powers.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const some of this.powers) {
      powers.set(some, at)
      at += some.length
    }
    const integrated = programmeLoudness(powers, this.metered.rate)
    return { integrated, truePeak: this.truePeak, peaks: this.peaks, powers }
  }
}
