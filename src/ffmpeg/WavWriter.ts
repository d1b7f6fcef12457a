/** A WAV file written block by block, without ffmpeg: by whatever thread holds it. */
import { closeSync, openSync, writeSync } from "node:fs"
import { Finisher } from "../audio/Finish.ts"
import { wavHeader } from "../audio/WavHeader.ts"
import type { WavOrder } from "./Encode.ts"

/** Bytes that go to the disk at once. */
const atOnce = 128 * 1024

/** Throws what the file system throws; whoever made it closes it in any case. */
export class WavWriter {
  private readonly file: number
  private readonly finisher: Finisher
  private readonly waiting = Buffer.allocUnsafeSlow(atOnce)
  private filled = 0
  private bytes = 0
  private open = true

  constructor({ part, from, to, header }: WavOrder) {
    this.file = openSync(part, "w")
    this.finisher = new Finisher(from, to)
    this.put(wavHeader(header))
    this.bytes = 0
  }

  /** Takes the next samples; they may change as soon as it has returned. */
  take(block: Float32Array | Int16Array): void {
    this.put(this.finisher.push(block))
  }

  /** Writes what is missing to the whole, and closes the file. */
  finish(): undefined {
    for (const bytes of this.finisher.rest()) this.put(bytes)
    if (this.bytes % 2 === 1) this.put(Uint8Array.of(0))
    this.flush()
    this.close()
  }

  close(): void {
    if (this.open) closeSync(this.file)
    this.open = false
  }

  private put(bytes: Uint8Array): void {
    this.bytes += bytes.length
    for (let at = 0; at < bytes.length;) {
      const some = bytes.subarray(at, at + atOnce - this.filled)
      this.waiting.set(some, this.filled)
      this.filled += some.length
      at += some.length
      if (this.filled === atOnce) this.flush()
    }
  }

  private flush(): void {
    // A full disk may take a part of the bytes only.
    for (let at = 0; at < this.filled;) at += writeSync(this.file, this.waiting, at, this.filled - at)
    this.filled = 0
  }
}
