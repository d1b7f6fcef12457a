/** WAV files as bytes: RIFF, RF64 beyond 4 GiB, and Broadcast Wave's time reference. */
import { Either } from "effect"
import type { Frames, SampleRate } from "../domain/Units.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { type Pcm, toInt16 } from "./Pcm.ts"
import {
  channelsOf,
  downmixed,
  littleEndian,
  readFormat,
  rejected,
  type WavFormat,
  type WavRejected
} from "./WavSamples.ts"

/** How a sample is written: integers of 16, 24 or 32 bit, or floats of 32 bit; all little-endian. */
export type WavEncoding = "int16" | "int24" | "int32" | "float32"

/** Bytes of one sample. */
export const bytesPerSample: Readonly<Record<WavEncoding, number>> = {
  int16: 2,
  int24: 3,
  int32: 4,
  float32: 4
}

/** What a Broadcast Wave file says of itself. */
export interface BroadcastNote {
  /** The position of the first frame on the timeline, in frames since its zero, at the file's own rate. */
  readonly timeReference: Frames
  /** At most 256 ASCII characters; others are written as `?`. */
  readonly description?: string
  /** At most 32 ASCII characters. */
  readonly originator?: string
}

/** What a header says. */
export interface WavOptions {
  readonly rate: SampleRate
  /** From 1. */
  readonly channels: number
  readonly encoding: WavEncoding
  /** Frames of the whole file, known before the first is written. */
  readonly frames: number
  readonly broadcast?: BroadcastNote
}

/** A WAV file, read. */
export interface Wav {
  readonly rate: SampleRate
  /** One array of samples, ±1 at full scale, for each channel; at least one. */
  readonly channels: readonly [Float32Array, ...ReadonlyArray<Float32Array>]
  readonly timeReference: number | undefined
}

/**
 * Everything that stands before the first sample. Samples follow interleaved, then one zero byte where their bytes are odd in
 * number (`wavPadding`). Where a 32-bit size would overflow, the header is RF64 with its sizes in a ds64 chunk.
 */
export const wavHeader = (options: WavOptions): Uint8Array => {
  const { channels, rate, encoding } = options
  const sampleBytes = bytesPerSample[encoding]
  const data = options.frames * channels * sampleBytes
  const float = encoding === "float32"
  const extensible = channels > 2
  const format = float || extensible ? (extensible ? 40 : 18) : 16
  const fact = float || extensible ? 12 : 0
  const bext = options.broadcast === undefined ? 0 : 8 + bextBytes
  const plain = 12 + bext + 8 + format + fact + 8
  const big = plain - 8 + data + (data % 2) > 0xffff_fff0
  const header = new ByteWriter(plain + (big ? 36 : 0))

  header.tag(big ? "RF64" : "RIFF")
  header.u32(big ? unknownSize : plain - 8 + data + (data % 2))
  header.tag("WAVE")
  if (big) {
    header.tag("ds64")
    header.u32(28)
    header.u64(plain + 36 - 8 + data + (data % 2))
    header.u64(data)
    header.u64(options.frames)
    header.u32(0)
  }
  if (options.broadcast !== undefined) bextChunk(header, options.broadcast)

  header.tag("fmt ")
  header.u32(format)
  header.u16(extensible ? 0xfffe : float ? 3 : 1)
  header.u16(channels)
  header.u32(rate)
  header.u32(rate * channels * sampleBytes)
  header.u16(channels * sampleBytes)
  header.u16(sampleBytes * 8)
  if (format > 16) header.u16(format - 18)
  if (extensible) {
    header.u16(sampleBytes * 8)
    header.u32(0)
    header.u16(float ? 3 : 1)
    header.bytes(subFormat)
  }
  if (fact > 0) {
    header.tag("fact")
    header.u32(4)
    header.u32(Math.min(options.frames, unknownSize))
  }
  header.tag("data")
  header.u32(big ? unknownSize : data)
  return header.done()
}

/** The bytes that must follow the samples: none, or one zero. */
export const wavPadding = (options: WavOptions): Uint8Array =>
  new Uint8Array((options.frames * options.channels * bytesPerSample[options.encoding]) % 2)

/** A whole file of 16-bit mono, samples rounded without dither. */
export const encodeWav16 = (pcm: Pcm, broadcast?: BroadcastNote): Uint8Array => {
  const header = wavHeader({
    rate: pcm.rate,
    channels: 1,
    encoding: "int16",
    frames: pcm.samples.length,
    ...(broadcast === undefined ? {} : { broadcast })
  })
  const file = new Uint8Array(header.length + pcm.samples.length * 2)
  file.set(header)
  file.set(sampleBytesOf(toInt16(pcm.samples)), header.length)
  return file
}

/** The little-endian bytes of 16-bit samples. */
export const sampleBytesOf = (samples: Int16Array): Uint8Array => {
  if (littleEndian) return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i]!, true)
  return bytes
}

/** The little-endian bytes of samples as integers of 24 bit, clamped to full scale. */
export const int24BytesOf = (samples: Float32Array): Uint8Array => {
  const bytes = new Uint8Array(samples.length * 3)
  for (let i = 0; i < samples.length; i++) {
    const value = Math.max(-8_388_608, Math.min(8_388_607, Math.round(samples[i]! * 8_388_608)))
    bytes[i * 3] = value & 0xff
    bytes[i * 3 + 1] = (value >> 8) & 0xff
    bytes[i * 3 + 2] = (value >> 16) & 0xff
  }
  return bytes
}

/**
 * A file's samples, several channels averaged into one: integers of 8, 16, 24 and 32 bit and floats of 32 and 64. Sizes that a
 * streaming writer left open (0, 0xFFFFFFFF and the like) mean "to the end"; a file shorter than it says is refused.
 */
export const decodeWav = (bytes: Uint8Array): Either.Either<Pcm, WavRejected> =>
  Either.map(readWav(bytes), (wav) => ({ rate: wav.rate, samples: downmixed(wav.channels) }))

/** As `decodeWav`, with each channel by itself and the time reference where there is one. */
export const readWav = (bytes: Uint8Array): Either.Either<Wav, WavRejected> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tag = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  const container = bytes.length >= 12 ? tag(0) : ""
  if ((container !== "RIFF" && container !== "RF64" && container !== "BW64") || tag(8) !== "WAVE")
    return rejected(
      "not-wav",
      `expected a WAV file, which begins with RIFF or RF64; found ${bytes.length} other bytes`
    )

  const openEnded = isOpen(view.getUint32(4, true), bytes.length)
  let format: WavFormat | undefined
  let timeReference: number | undefined
  let bigData: number | undefined
  let at = 12
  while (at + 8 <= bytes.length) {
    const name = tag(at)
    const size = view.getUint32(at + 4, true)
    const body = at + 8
    const left = bytes.length - body
    if (name === "data") {
      if (format === undefined) return rejected("no-format", "the WAV file has samples before its fmt chunk")
      const stated = size === unknownSize && bigData !== undefined ? bigData : size
      const open = (stated === 0 && openEnded) || isOpen(stated, left)
      if (!open && stated > left)
        return rejected(
          "truncated",
          `the WAV file says ${stated} bytes of samples and holds ${left}: it was cut short`
        )
      const channels = channelsOf(view, body, open ? left : stated, format)
      return Either.right({ rate: format.rate, channels, timeReference })
    }
    if (size > left)
      return rejected("truncated", `the WAV file ends inside its "${name}" chunk: it was cut short`)
    if (name === "ds64" && size >= 24) bigData = u64At(view, body + 8)
    else if (name === "bext" && size >= 346) timeReference = u64At(view, body + 338)
    else if (name === "fmt ") {
      const read = readFormat(view, body, size)
      if (Either.isLeft(read)) return Either.left(read.left)
      format = read.right
    }
    at = body + size + (size % 2)
  }
  return rejected("no-data", "the WAV file has no data chunk, so no samples")
}

/** The size that means "see ds64", or "not known when the header was written". */
const unknownSize = 0xffff_ffff

/** Writers to a pipe leave 0xFFFFFFFF or a value near a signed or unsigned 32-bit limit. */
const isOpen = (size: number, actual: number): boolean =>
  size === 0 ? actual > 0 : size >= 0x7fff_f000 && size > actual

const u64At = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 4_294_967_296

const bextBytes = 602

/** The tail of the GUIDs that Microsoft gave the PCM and float sub-formats. */
const subFormat = Uint8Array.of(
  0x00,
  0x00,
  0x00,
  0x00,
  0x10,
  0x00,
  0x80,
  0x00,
  0x00,
  0xaa,
  0x00,
  0x38,
  0x9b,
  0x71
)

/** EBU Tech 3285, version 1, without a UMID and without loudness. */
const bextChunk = (header: ByteWriter, note: BroadcastNote): void => {
  header.tag("bext")
  header.u32(bextBytes)
  header.text(note.description ?? "", 256)
  header.text(note.originator ?? "", 32)
  header.text("", 32)
  header.text("", 10)
  header.text("", 8)
  header.u64(note.timeReference)
  header.u16(1)
  header.text("", 64 + 190)
}
