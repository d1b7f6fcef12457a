/** All that is measured of a programme while it passes. */
import type { Frames, SampleRate } from "../domain/Units.ts"
import { LoudnessMeter } from "./LoudnessMeter.ts"
import { PeakMeter } from "./Peaks.ts"
import { TruePeakMeter } from "./TruePeak.ts"

/** What a programme measures. */
export interface Measures {
  /** LUFS, -70 at least. */
  readonly integrated: number
  /** 1 at full scale. */
  readonly truePeak: number
  /** Its outline, as `PeakMeter` has it. */
  readonly peaks: Float32Array
}

/** What is listened to: samples are interleaved, the length is in frames. */
export interface Listened {
  readonly rate: SampleRate
  readonly channels: 1 | 2
  readonly frames: Frames
}

/** Takes a programme block by block. */
export class Listener {
  private readonly loudness: LoudnessMeter
  private readonly truePeak: TruePeakMeter
  private readonly outline: PeakMeter

  constructor({ rate, channels, frames }: Listened) {
    this.loudness = new LoudnessMeter(rate, channels)
    this.truePeak = new TruePeakMeter(channels)
    this.outline = new PeakMeter(rate, channels, frames)
  }

  push(block: Float32Array): void {
    this.loudness.push(block)
    this.truePeak.push(block)
    this.outline.push(block)
  }

  /** What was pushed; nothing may be pushed afterwards. */
  measures(): Measures {
    return {
      integrated: this.loudness.integrated(),
      truePeak: this.truePeak.peak(),
      peaks: this.outline.peaks()
    }
  }
}
