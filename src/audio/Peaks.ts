/** The outline of a programme: its highest levels, stretch by stretch, as a waveform is drawn. */
import type { Frames, SampleRate } from "../domain/Units.ts"
import { loudestOf } from "./Kernels.ts"

/** As fine as a waveform is ever looked at: 50 peaks a second. */
const finest = 50

/** The most peaks of a programme, however long: what a page holds without growing heavy. */
const mostPeaks = 120_000

/**
 * Takes a programme block by block and keeps one peak for each stretch of it: 1/50 s, or longer where the programme would come
 * to more than 120,000 stretches (40 min). Channels are interleaved; the highest of them counts.
 */
export class PeakMeter {
  private readonly stretch: number
  private readonly highest: Float32Array
  private taken = 0

  /** `length` is the programme's in frames; frames beyond it are not looked at. */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    private readonly length: Frames
  ) {
    this.stretch = Math.max(1, Math.round(rate / finest), Math.ceil(length / mostPeaks))
    this.highest = new Float32Array(Math.ceil(length / this.stretch))
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    const frames = Math.min(block.length / this.channels, this.length - this.taken)
    let at = 0
    while (at < frames) {
      const stretch = Math.floor((this.taken + at) / this.stretch)
      const end = Math.min(frames, (stretch + 1) * this.stretch - this.taken)
      const highest = loudestOf(block, at * this.channels, end * this.channels)
      if (highest > this.highest[stretch]!) this.highest[stretch] = highest
      at = end
    }
    this.taken += frames
  }

  /** The peak of each stretch in order, 0 to full scale at 1; 0 where nothing was taken yet. */
  peaks(): Float32Array {
    return this.highest.slice()
  }
}
