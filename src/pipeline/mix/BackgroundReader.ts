/** Reads the samples of a background file, block by block, at any position. Has few imports: worker threads load it. */
import { closeSync, openSync, readSync } from "node:fs"
import { decodeSamples, fadeAround, lowerBy, scaleBy } from "../../audio/level/BackgroundMix.ts"
import { type Duck, gainsUnder, type SpokenSpan } from "../../audio/level/Ducking.ts"
import { bufferFor, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { BackgroundTrack } from "../plan/media/JobBackground.ts"

/** Milliseconds over which a background fades out before a pause, and in after it. */
const pauseFade = 20

/** A background file that cannot be read any more. */
export class BackgroundUnreadable extends Error {
  constructor(
    readonly path: string,
    readonly detail: string
  ) {
    super(`${path}: ${detail}`)
  }
}

/** A background, and when someone speaks over it, in order of start. */
export interface Bed {
  readonly track: BackgroundTrack
  readonly spoken: ReadonlyArray<SpokenSpan>
}

/** Reads one file. The caller must close it. */
export class BackgroundReader {
  private readonly file: number
  private bytes = new Uint8Array(0)
  private block: Float32Array | undefined

  private readonly track: BackgroundTrack

  constructor(
    private readonly bed: Bed,
    private readonly allocate: Buffer32
  ) {
    const { track } = bed
    this.track = track
    this.file = attempted(track, () => openSync(track.path, "r"))
  }

  /**
   * Returns `count` frames from a position on, channels interleaved, at the track's gain, lowered under speech if it is
   * ducked; silence behind the end. The result is valid until the next call.
   */
  read(from: number, count: number): Float32Array {
    const { channels, gain, pauses = [], duck } = this.track
    this.block = bufferFor(count * channels, this.block, this.allocate)
    const samples = this.block.subarray(0, count * channels)
    let done = 0
    let later = 0
    const copyUpTo = (end: number) => {
      const to = Math.max(done, Math.min(count, end - from))
      this.copy(samples.subarray(done * channels, to * channels), from + done - later)
      done = to
    }
    for (const { at, length } of pauses) {
      if (done === count) break
      copyUpTo(at + later)
      const to = Math.max(done, Math.min(count, at + later + length - from))
      samples.fill(0, done * channels, to * channels)
      done = to
      later += length
    }
    copyUpTo(Infinity)
    if (gain !== 1) scaleBy(samples, gain, samples.length)
    this.fade(samples, from)
    if (duck !== undefined) this.lower(samples, duck, from, count)
    return samples
  }

  /** Copies frames of the file from a position on; silence behind its end. */
  private copy(samples: Float32Array, from: number): void {
    const { frames, channels } = this.track
    const there = Math.max(0, Math.min(samples.length, (frames - from) * channels))
    decodeSamples(this.load(from * channels, there), this.track, samples, there)
    samples.fill(0, there)
  }

  /** Fades the frames next to pauses, so that nothing clicks. */
  private fade(samples: Float32Array, from: number): void {
    const { channels, rate, pauses = [] } = this.track
    const length = Math.round((rate * pauseFade) / 1_000)
    let later = 0
    for (const pause of pauses) {
      const begin = pause.at + later - from
      later += pause.length
      fadeAround(samples, channels, begin, begin + pause.length, length)
    }
  }

  close(): void {
    closeSync(this.file)
  }

  /** Lowers frames under speech; frames farther from speech than a fade stay as they are. */
  private lower(samples: Float32Array, duck: Duck, from: number, count: number): void {
    const { rate, channels } = this.track
    const first = Math.floor((from * 1000) / rate)
    const to = Math.ceil(((from + count) * 1000) / rate) + 1
    // Only nearby spans matter, and a film has thousands of spans.
    const near = duck.attack + duck.release + 1_000
    const some = this.bed.spoken.filter(({ start, end }) => start < to + near && end > first - near)
    if (some.length === 0) return
    const gains = [...gainsUnder(some, duck, { from: first, to })].flatMap((block) => [...block])
    lowerBy(samples, channels, rate, from, gains, first)
  }

  /** Loads the bytes of `count` samples from sample `from` on. */
  private load(from: number, count: number): Uint8Array<ArrayBuffer> {
    const { bits, dataAt } = this.track
    const width = bits / 8
    const size = count * width
    if (size > this.bytes.length) {
      const { buffer, byteOffset, byteLength } = this.allocate(Math.ceil(size / 4) + 4)
      this.bytes = new Uint8Array(buffer, byteOffset, byteLength)
    }
    for (let done = 0; done < size;) {
      const position = dataAt + from * width + done
      const got = attempted(this.track, () => readSync(this.file, this.bytes, done, size - done, position))
      if (got === 0) throw new BackgroundUnreadable(this.track.path, "the file has become shorter")
      done += got
    }
    return this.bytes
  }
}

const attempted = <A>({ path }: BackgroundTrack, step: () => A): A => {
  try {
    return step()
  } catch (cause) {
    throw new BackgroundUnreadable(path, cause instanceof Error ? cause.message : String(cause))
  }
}
