/** Waveform overview of a programme: one peak per stretch of time, for drawing. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { loudestOf } from "../kernels/Kernels.ts"
import { newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"

/** Finest resolution: 50 peaks per second. */
const finest = 50

/** Maximum number of peaks of a programme, which keeps pages light. */
const maxPeaks = 120_000

/** Returns the frames per peak: 1/50 s, or longer if the programme would exceed 120,000 peaks (40 min). */
export const peakStretch = (rate: SampleRate, length: number): number =>
  Math.max(1, Math.round(rate / finest), Math.ceil(length / maxPeaks))

/**
 * Computes one peak per stretch of a programme, or of a part of it, block by block. Channels are interleaved; the
 * highest channel counts.
 */
export class PeakMeter {
  private readonly stretch: number
  /** Index of the stretch of the first peak. */
  readonly first: number
  private readonly highest: Float32Array
  private taken: number

  /** `length` is the programme's, in frames; the measured part is [from, to). Frames beyond it are ignored. */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    length: number,
    from = 0,
    private readonly to = length,
    allocate: Buffer32 = newBuffer
  ) {
    this.stretch = peakStretch(rate, length)
    this.first = Math.floor(from / this.stretch)
    this.highest = allocate(Math.ceil(to / this.stretch) - this.first).fill(0)
    this.taken = from
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    const { channels, stretch, highest, first } = this
    const frames = Math.min(block.length / channels, this.to - this.taken)
    for (let done = 0; done < frames;) {
      const number = Math.floor((this.taken + done) / stretch)
      const end = Math.min(frames, (number + 1) * stretch - this.taken)
      const peak = loudestOf(block, done * channels, end * channels)
      highest[number - first] = Math.max(highest[number - first]!, peak)
      done = end
    }
    this.taken += frames
  }

  /** Returns the peak of each stretch in order, 1 at full scale; 0 where no samples were taken. */
  peaks(): Float32Array {
    return this.highest.slice()
  }
}
