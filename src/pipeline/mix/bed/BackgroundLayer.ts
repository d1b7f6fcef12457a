/**
 * Lays a background under the limited voices. Outside speech, the result is the background, sample for sample. In
 * speech, a limiter holds the sum's true peaks; its gain returns to 1 within the speech. Has few imports, since worker
 * threads load it.
 */
import { addVoices, restoreBackground, sharesOf } from "../../../audio/level/BackgroundMix.ts"
import { Limiter } from "../../../audio/level/Limiter.ts"
import type { Buffer32 } from "../../../audio/kernels/BufferPool.ts"
import { edgeFade } from "../../../audio/speech/SpeechTrim.ts"
import { BackgroundReader, type Bed } from "./BackgroundReader.ts"

/** Lays the background of one section, block by block. The caller must close it. */
export class BackgroundLayer {
  private readonly reader: BackgroundReader
  /** Reads the frames again that the limiter has delayed. */
  private readonly delayed: BackgroundReader
  private readonly limiter: Limiter
  /** The next frames to read and to return. */
  private position: number
  private returned: number

  /** `voices` is the number of the voices' channels, `begin` the section's first frame. */
  constructor(
    private readonly bed: Bed,
    private readonly voices: 1 | 2,
    ceiling: number,
    begin: number,
    allocate: Buffer32
  ) {
    const { track } = bed
    this.position = begin
    this.returned = begin
    this.limiter = new Limiter(track.rate, track.channels, ceiling, 1, allocate)
    this.reader = new BackgroundReader(bed, allocate)
    this.delayed = new BackgroundReader(bed, allocate)
  }

  /**
   * Takes the next frames of the voices. Returns those of the sum whose gain is settled, valid until the next call.
   */
  lay(voice: Float32Array): Float32Array {
    const frames = voice.length / this.voices
    const sum = this.reader.read(this.position, frames)
    addVoices(sum, this.bed.track.channels, voice, this.voices)
    this.position += frames
    return this.kept(this.limiter.push(sum))
  }

  /** Returns the frames that the limiter still holds. Do not call `lay` afterwards. */
  rest(): Float32Array {
    return this.kept(this.limiter.flush())
  }

  close(): void {
    this.reader.close()
    this.delayed.close()
  }

  /** Restores the original background in limited frames outside speech. */
  private kept(limited: Float32Array): Float32Array {
    const { channels, rate } = this.bed.track
    const frames = limited.length / channels
    const from = this.returned
    this.returned += frames
    const { gains, skipped } = this.limiter.settled
    if (gains === undefined || frames === 0) return limited
    const own = this.delayed.read(from, frames)
    const shares = sharesOf(this.bed.spoken, from, frames, rate, edgeFade)
    restoreBackground(limited, own, channels, shares, gains.subarray(skipped, skipped + frames))
    return limited
  }
}
