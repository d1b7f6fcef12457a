/** The outline of a programme: its highest levels, stretch by stretch, as a waveform is drawn. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { along } from "../kernels/KernelArrays.ts"
import { raiseTo } from "../kernels/Kernels.ts"
import { newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"

/** As fine as a waveform is ever looked at: 50 peaks a second. */
const finest = 50

/** The most peaks of a programme, however long: what a page holds without growing heavy. */
const mostPeaks = 120_000

/**
 * Frames from one peak to the next: 1/50 s, or longer where the programme would come to more than 120,000 peaks (40
 * min).
 */
export const peakStretch = (rate: SampleRate, length: number): number =>
  Math.max(1, Math.round(rate / finest), Math.ceil(length / mostPeaks))

/**
 * Takes a programme, or a part of it, block by block and keeps one peak for each stretch of it. Channels are
 * interleaved; the highest of them counts.
 */
export class PeakMeter {
  private readonly stretch: number
  /** The stretch that the first peak is of. */
  readonly first: number
  private readonly highest: Float32Array
  private taken: number

  /** `length` is the programme's in frames; the part's is from `from` to `to`. Frames beyond it are not looked at. */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    length: number,
    from = 0,
    private readonly to = length,
    room: Buffer32 = newBuffer
  ) {
    this.stretch = peakStretch(rate, length)
    this.first = Math.floor(from / this.stretch)
    this.highest = room(Math.ceil(to / this.stretch) - this.first).fill(0)
    this.taken = from
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    const { channels, stretch } = this
    const frames = Math.min(block.length / channels, this.to - this.taken)
    along(frames * channels, (some, done) => {
      const frame = this.taken + done / channels
      const number = Math.floor(frame / stretch)
      const left = (number + 1) * stretch - frame
      const samples = block.subarray(done, done + some)
      raiseTo(this.highest, number - this.first, samples, left * channels, stretch * channels)
    })
    this.taken += frames
  }

  /** The peak of each stretch in order, 0 to full scale at 1; 0 where nothing was taken yet. */
  peaks(): Float32Array {
    return this.highest.slice()
  }
}
