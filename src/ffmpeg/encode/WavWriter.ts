/**
 * WAV files written without ffmpeg, by several threads at once: each writes the samples of its section where they
 * belong.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import {
  type ConvertedPart,
  OutputConverter,
  convertPart,
  type UnconvertedPart
} from "../../audio/formats/OutputConversion.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { type WavOptions, wavHeader } from "../../audio/formats/WavHeader.ts"

/** A WAV file as it is written. */
export interface WavOrder {
  readonly kind: "wav"
  /** Where it will stand, and where it is written until it is whole. */
  readonly path: string
  readonly part: string
  readonly from: UnconvertedPart
  /** How many frames the programme has. */
  readonly length: number
  readonly to: ConvertedPart
  /** How many bytes stand before its samples. */
  readonly dataAt: number
}

/** Begins a file: all of it but its samples. Throws what the file system throws. */
export const beginWav = (part: string, header: WavOptions): void => {
  const file = openSync(part, "w")
  try {
    const before = wavHeader(header)
    const samples = (header.frames * header.channels * bitsOf[header.encoding]) / 8
    writeAll(file, before, 0)
    if (samples % 2 === 1) writeAll(file, Uint8Array.of(0), before.length + samples)
  } finally {
    closeSync(file)
  }
}

const bitsOf = { int16: 16, int24: 24, float32: 32 } as const

/** Writes one section of a file that was begun. */
export class WavPart {
  private readonly file: number
  private readonly finisher: OutputConverter
  private written: number

  constructor({ part, from, to, length, dataAt }: WavOrder, section: Section, room: Buffer32 = newBuffer) {
    const finished = convertPart(to, from.rate, length, section)
    this.finisher = new OutputConverter(from, finished, room)
    this.written = dataAt + (finished.part.at * from.channels * to.depth) / 8
    this.file = openSync(part, "r+")
  }

  /** Takes the next samples; they may change as soon as it has returned. */
  take(block: Float32Array): void {
    this.put(this.finisher.push(block))
  }

  /** Writes what is missing to the whole. */
  finish(): undefined {
    for (const bytes of this.finisher.rest()) this.put(bytes)
  }

  close(): void {
    closeSync(this.file)
  }

  private put(bytes: Uint8Array): void {
    writeAll(this.file, bytes, this.written)
    this.written += bytes.length
  }
}

/** A full disk may take a part of the bytes only. */
const writeAll = (file: number, bytes: Uint8Array, place: number): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, place + at)
}
