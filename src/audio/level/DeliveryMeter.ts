/**
 * Meter of delivered files with any channels. It measures integrated loudness (ITU-R BS.1770-4), loudness range (EBU
 * Tech 3342: https://tech.ebu.ch/docs/tech/tech3342.pdf), true peak, and the loudness of the spoken lines.
 */
import type { SampleRate } from "../../domain/time/Units.ts"
import { channelWeights, LoudnessSteps } from "./LoudnessSteps.ts"
import {
  longestSilence,
  loudnessRange,
  programmeLoudness,
  spokenLoudness,
  type SpokenStretch
} from "./StepLoudness.ts"
import { TruePeakMeter } from "./TruePeak.ts"

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
    return programmeLoudness(this.powers, this.rate)
  }

  /** Returns the loudness of these stretches, in LUFS; see `spokenLoudness`. */
  spoken(stretches: ReadonlyArray<SpokenStretch>): number {
    return spokenLoudness(this.powers, this.rate, stretches)
  }

  /** Returns the longest silence in seconds. */
  silence(): number {
    return longestSilence(this.powers, this.rate)
  }

  /** Returns the loudness range in LU; 0 below 3 seconds. */
  range(): number {
    return loudnessRange(this.powers, this.rate)
  }
}
