/** All that is measured of a programme while it passes, section by section. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { LoudnessGate } from "./LoudnessMeter.ts"
import { LoudnessSteps, stepsASecond } from "./LoudnessSteps.ts"
import { PeakMeter, peakStretch } from "../pcm/WaveformPeaks.ts"
import { doublesIn, newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"
import type { Section } from "../pcm/Section.ts"
import { interpolatorTaps, TruePeakMeter } from "./TruePeak.ts"

/** What a programme measures. */
export interface ProgrammeMeasurement {
  /** LUFS, -70 at least. */
  readonly integrated: number
  /** 1 at full scale. */
  readonly truePeak: number
  /** Its outline, as `PeakMeter` has it. */
  readonly peaks: Float32Array
}

/** What is listened to: samples are interleaved, the length is in frames. */
export interface SectionMeter {
  readonly rate: SampleRate
  readonly channels: 1 | 2
  readonly frames: number
}

/** What was heard of a section. */
export interface SectionMeasurement {
  /** The power of its steps. */
  readonly steps: Float64Array
  readonly truePeak: number
  readonly peaks: Float32Array
  /** Where its peaks stand among the programme's. */
  readonly firstPeak: number
}

/** Takes a section of a programme block by block, from where its samples begin to where they end. */
export class ProgrammeMeter {
  /** The power of the steps that have passed. */
  private readonly steps: Float64Array
  private passed = 0
  private readonly loudness: LoudnessSteps
  private readonly truePeak: TruePeakMeter
  private readonly outline: PeakMeter
  private at: number

  constructor(
    private readonly listened: SectionMeter,
    private readonly section: Section,
    room: Buffer32 = newBuffer
  ) {
    const { rate, channels, frames } = listened
    this.steps = doublesIn(room, Math.ceil(((section.to - section.begin) / rate) * stepsASecond))
    this.loudness = new LoudnessSteps(rate, channels, (power) => (this.steps[this.passed++] = power), room)
    this.truePeak = new TruePeakMeter(channels, room)
    this.outline = new PeakMeter(rate, channels, frames, section.from, section.to, room)
    this.at = section.begin
  }

  push(block: Float32Array): void {
    const { from, to } = this.section
    const before = this.upTo(from, block)
    const within = this.upTo(to, block.subarray(before.length))
    // Between its last frame and the next a section may be highest.
    const behind = this.upTo(to + interpolatorTaps, block.subarray(before.length + within.length))
    this.loudness.push(before)
    this.loudness.push(within)
    this.truePeak.precede(before)
    this.truePeak.push(within)
    this.truePeak.push(behind)
    this.outline.push(within)
  }

  /** What was heard, as if silence followed; nothing may be pushed afterwards. */
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

  /** As much of what comes next as stands before a frame. */
  private upTo(frame: number, block: Float32Array): Float32Array {
    const { channels } = this.listened
    const count = Math.min(block.length / channels, Math.max(0, frame - this.at))
    this.at += count
    return block.subarray(0, count * channels)
  }
}

/** Puts together what was heard of one section after the other. */
export class MeterSettings {
  private readonly gate: LoudnessGate
  private truePeak = 0
  private readonly peaks: Float32Array

  constructor({ rate, frames }: SectionMeter) {
    this.gate = new LoudnessGate(rate)
    this.peaks = new Float32Array(Math.ceil(frames / peakStretch(rate, frames)))
  }

  /** Takes the next section's. */
  add({ steps, truePeak, peaks, firstPeak }: SectionMeasurement): void {
    for (const power of steps) this.gate.take(power)
    this.truePeak = Math.max(this.truePeak, truePeak)
    for (let i = 0; i < peaks.length; i++)
      this.peaks[firstPeak + i] = Math.max(this.peaks[firstPeak + i]!, peaks[i]!)
  }

  measures(): ProgrammeMeasurement {
    return { integrated: this.gate.integrated(), truePeak: this.truePeak, peaks: this.peaks }
  }
}
