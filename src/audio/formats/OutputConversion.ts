/**
 * Output conversion: the last step before a file. Resamples the programme to the file's rate, cuts or pads it to its
 * length, and converts samples to its bit depth.
 */
import type { SampleRate } from "../../domain/time/Units.ts"
import { rounded24Of, ditheredWith } from "../kernels/Kernels.ts"
import { Resampler } from "../pcm/Resampling.ts"
import { newBuffer, bufferFor, type Buffer32 } from "../kernels/BufferPool.ts"
import type { Section } from "../pcm/Section.ts"
import type { ChannelCount, Pcm } from "../pcm/Pcm.ts"
import { sampleBytesOf, wavHeader, type WavOptions } from "./WavHeader.ts"
import { noiseIn } from "../kernels/KernelMemory.ts"

/** The input; channels are interleaved. */
export interface UnconvertedPart {
  readonly rate: SampleRate
  readonly channels: ChannelCount
  /** Whether samples that are whole 16-bit integers are written without dither, so that they are kept exactly. */
  readonly keepsIntegers?: boolean
}

/** The output. */
export interface ConvertedPart {
  readonly rate: SampleRate
  /** Exact number of frames written. A longer programme is cut off, a shorter one is padded with silence. */
  readonly frames: number
  /** 16-bit integers (dithered), 24-bit integers, or 32-bit floats. */
  readonly depth: 16 | 24 | 32
  /** For a part of a file: the frame of the file at which it begins, and the number of leading frames to drop. */
  readonly part?: { readonly at: number; readonly passed: number }
}

/** Returns the part of the file `whole` that one section becomes; the programme has `length` frames at `rate`. */
export const convertPart = (
  whole: ConvertedPart,
  rate: SampleRate,
  length: number,
  { begin, from, to }: Section
): ConvertedPart & Required<Pick<ConvertedPart, "part">> => {
  const at = frameAt(from, rate, whole)
  const end = to < length ? frameAt(to, rate, whole) : whole.frames
  return {
    ...whole,
    frames: end - at,
    part: { at, passed: ((from - begin) * whole.rate) / rate }
  }
}

/** Encodes a whole mono WAV file: 16-bit samples are dithered, 24-bit ones rounded to nearest. */
export const finishedWav = (
  { rate, samples }: Pcm,
  depth: ConvertedPart["depth"],
  about: Pick<WavOptions, "broadcast" | "ixml" | "tags">,
  allocate: Buffer32 = newBuffer
): Uint8Array => {
  const to: ConvertedPart = { rate, frames: samples.length, depth }
  const header = wavHeader({ rate, channels: 1, encoding: encodings[depth], frames: to.frames, ...about })
  const data = new OutputConverter({ rate, channels: 1 }, to, allocate).push(samples)
  const file = new Uint8Array(header.length + data.length + (data.length % 2))
  file.set(header)
  file.set(data, header.length)
  return file
}

/** WAV encoding by bit depth. */
export const encodings = { 16: "int16", 24: "int24", 32: "float32" } as const

/** Converts a programme position on a whole second into a frame of the file. */
const frameAt = (second: number, rate: SampleRate, whole: ConvertedPart): number =>
  Math.min(whole.frames, (second * whole.rate) / rate)

/** Converts one stream of blocks. The output depends on the samples only, not on the block size. */
export class OutputConverter {
  /** One per channel if the rate changes, else none. */
  private readonly resamplers: ReadonlyArray<Resampler>
  private written = 0
  /** Frames still to be dropped. */
  private passing: number
  private interleaved: Float32Array | undefined
  /** Holds integers of 16 or 24 bits. */
  private integers: Float32Array | undefined

  constructor(
    private readonly from: UnconvertedPart,
    private readonly to: ConvertedPart,
    private readonly allocate: Buffer32 = newBuffer
  ) {
    this.passing = to.part?.passed ?? 0
    this.resamplers =
      from.rate === to.rate
        ? []
        : Array.from({ length: from.channels }, () => new Resampler(from.rate, to.rate, allocate))
  }

  /** Takes the next samples; returns bytes that are valid until the next call. */
  push(block: Float32Array): Uint8Array {
    return this.bytesOf(this.atRate(block))
  }

  /** Yields the bytes still missing from the file, block by block. Do not call `push` afterwards. */
  *rest(): Generator<Uint8Array> {
    const silence = new Float32Array(4_096 * this.from.channels)
    while (this.written < this.to.frames) yield this.push(silence)
  }

  /** Drops leading frames and excess ones. */
  private counted(samples: Float32Array): Float32Array {
    const { channels } = this.from
    const passed = Math.min(samples.length / channels, this.passing)
    const frames = Math.min(samples.length / channels - passed, this.to.frames - this.written)
    this.passing -= passed
    this.written += frames
    return samples.subarray(passed * channels, (passed + frames) * channels)
  }

  private atRate(block: Float32Array): Float32Array {
    const { channels } = this.from
    if (this.resamplers.length === 0) return block
    const lines = this.resamplers.map((one, channel) => one.push(block, channel, channels))
    const [first] = lines
    if (first === undefined || lines.length === 1) return first ?? block
    this.interleaved = bufferFor(channels * first.length, this.interleaved, this.allocate)
    const all = this.interleaved.subarray(0, channels * first.length)
    lines.forEach((line, channel) => {
      for (let i = 0, at = channel; i < line.length; i++, at += channels) all[at] = line[i]!
    })
    return all
  }

  private bytesOf(samples: Float32Array): Uint8Array {
    const place = ((this.to.part?.at ?? 0) + this.written) * this.from.channels
    const wanted = this.counted(samples)
    switch (this.to.depth) {
      case 16: {
        this.integers = bufferFor(Math.ceil(wanted.length / 2), this.integers, this.allocate)
        const integers = new Int16Array(this.integers.buffer, this.integers.byteOffset, wanted.length)
        ditheredOf(wanted, place, integers, this.from.keepsIntegers)
        return sampleBytesOf(integers)
      }
      case 24:
        return this.bytes24(wanted)
      case 32:
        return sampleBytesOf(wanted)
    }
  }

  private bytes24(samples: Float32Array): Uint8Array {
    const size = 3 * samples.length
    this.integers = bufferFor(Math.ceil(size / 4) + 4, this.integers, this.allocate)
    const bytes = new Uint8Array(this.integers.buffer, this.integers.byteOffset, this.integers.byteLength)
    rounded24Of(samples, bytes)
    return bytes.subarray(0, size)
  }
}

/** Number of precomputed noise values, and the length of the stretches that read them from one starting point each. */
const noises = 65_536
const stretch = 4_096

/** Hashes a 32-bit integer. */
const scrambled = (number: number): number => {
  let mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

for (let i = 0; i < noises + stretch + 8; i++) {
  const bits = scrambled((i % noises) + 1)
  noiseIn[i] = ((bits & 0xffff) - (bits >>> 16)) / 65_536
}

/** Returns the offset in the noise for a stretch of a programme. */
const noiseOf = (number: number): number => scrambled(number + 1) % noises

/**
 * Returns the dither of a programme's sample, in integer steps: between -1 and 1, triangular distribution (TPDF). It
 * depends on the sample's position only, so the same sound always gives the same file.
 */
export const ditherAt = (place: number): number =>
  noiseIn[noiseOf(Math.floor(place / stretch)) + (place % stretch)]!

/**
 * Writes samples as dithered 16-bit integers to the beginning of `into`, clamped to full scale. The first one is the
 * programme's sample `place`. Digital silence stays zero; NaN becomes 0. With `keepsIntegers`, samples that are whole
 * integers get no dither, so that those of a file with 16 bits stay exact. Up to 8 integers after the last one may be
 * overwritten.
 */
export const ditheredOf = (
  samples: Float32Array,
  place: number,
  into: Int16Array,
  keepsIntegers = false
): void => {
  for (let done = 0; done < samples.length;) {
    const within = (place + done) % stretch
    const count = Math.min(stretch - within, samples.length - done)
    const from = noiseOf(Math.floor((place + done) / stretch)) + within
    ditheredWith(from, samples, into, done, count, keepsIntegers)
    done += count
  }
}
