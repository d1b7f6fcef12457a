/**
 * Writes WAV files without ffmpeg. Several threads can write one file: each writes its section's samples at their
 * offset.
 */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs"
import {
  type ConvertedPart,
  OutputConverter,
  convertPart,
  type UnconvertedPart
} from "../../audio/formats/OutputConversion.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { type WavOptions, wavHeader } from "../../audio/formats/WavHeader.ts"

/** An order to write a WAV file's samples. */
export interface WavOrder {
  readonly kind: "wav"
  /** The final path, and the path of the `.part` file. */
  readonly path: string
  readonly part: string
  readonly from: UnconvertedPart
  /** The programme's length in frames. */
  readonly length: number
  readonly to: ConvertedPart
  /** The offset of the samples in bytes. */
  readonly dataAt: number
}

/**
 * Writes everything of a file but its samples. `flags` are "r+" for a file that has samples already: it is cut or
 * extended to its new length. Throws file system errors.
 */
export const beginWav = (part: string, header: WavOptions, flags: "w" | "r+" = "w"): void => {
  const file = openSync(part, flags)
  try {
    const before = wavHeader(header)
    const samples = (header.frames * header.channels * bitsOf[header.encoding]) / 8
    if (flags === "r+") ftruncateSync(file, before.length + samples)
    writeAll(file, before, 0)
    if (samples % 2 === 1) writeAll(file, Uint8Array.of(0), before.length + samples)
  } finally {
    closeSync(file)
  }
}

const bitsOf = { int16: 16, int24: 24, float32: 32 } as const

/** Writes one section of a file that `beginWav` has started. */
export class WavPart {
  private readonly file: number
  private readonly finisher: OutputConverter
  private written: number

  constructor(
    { part, from, to, length, dataAt }: WavOrder,
    section: Section,
    allocate: Buffer32 = newBuffer
  ) {
    const finished = convertPart(to, from.rate, length, section)
    this.finisher = new OutputConverter(from, finished, allocate)
    this.written = dataAt + (finished.part.at * from.channels * to.depth) / 8
    this.file = openSync(part, "r+")
  }

  /** Writes the next samples. The block may be reused after the call. */
  take(block: Float32Array): undefined {
    this.put(this.finisher.push(block))
  }

  /** Writes the samples that the converter still holds. Yields none, since ffmpeg gets none. */
  rest(): ReadonlyArray<Uint8Array> {
    for (const bytes of this.finisher.rest()) this.put(bytes)
    return []
  }

  close(): void {
    closeSync(this.file)
  }

  private put(bytes: Uint8Array): void {
    writeAll(this.file, bytes, this.written)
    this.written += bytes.length
  }
}

/** Writes all bytes at an offset; a single `writeSync` may write only some of them. */
export const writeAll = (file: number, bytes: Uint8Array, place: number): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, place + at)
}
