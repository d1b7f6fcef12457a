/** WAV files as bytes: RIFF, RF64 beyond 4 GiB, and Broadcast Wave's time reference. */
import { Either, Schema } from "effect"
import { SampleRate, type Frames } from "../domain/Units.ts"
import { fromInt16, toInt16, type Pcm } from "./Pcm.ts"

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

/** Bytes that are no WAV file that can be used. */
export class WavRejected extends Schema.TaggedError<WavRejected>()("WavRejected", {
  reason: Schema.Literal("not-wav", "no-format", "unsupported", "no-data", "truncated"),
  /** What was found, and what was expected. */
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
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
  const header = new Writer(plain + (big ? 36 : 0))

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
  let format: Format | undefined
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
      return decodeSamples(view, body, open ? left : stated, format, timeReference)
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

interface Format {
  readonly rate: SampleRate
  readonly channels: number
  readonly float: boolean
  readonly bits: number
}

/** The size that means "see ds64", or "not known when the header was written". */
const unknownSize = 0xffff_ffff

/** Writers to a pipe leave 0xFFFFFFFF or a value near a signed or unsigned 32-bit limit. */
const isOpen = (size: number, actual: number): boolean =>
  size === 0 ? actual > 0 : size >= 0x7fff_f000 && size > actual

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

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

const rejected = (reason: WavRejected["reason"], detail: string): Either.Either<never, WavRejected> =>
  Either.left(new WavRejected({ reason, detail }))

const u64At = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 4_294_967_296

const readFormat = (view: DataView, at: number, size: number): Either.Either<Format, WavRejected> => {
  if (size < 16)
    return rejected("no-format", `the WAV file's fmt chunk has ${size} bytes where at least 16 are needed`)
  const stated = view.getUint16(at, true)
  const code = stated === 0xfffe && size >= 40 ? view.getUint16(at + 24, true) : stated
  const channels = view.getUint16(at + 2, true)
  const rate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)
  const known = (code === 1 && [8, 16, 24, 32].includes(bits)) || (code === 3 && [32, 64].includes(bits))
  if (!known)
    return rejected(
      "unsupported",
      `the WAV file's samples are of format ${code} with ${bits} bits; expected PCM of 8, 16, 24 or 32 bits or floats of 32 or 64`
    )
  if (channels === 0 || view.getUint16(at + 12, true) !== (channels * bits) / 8)
    return rejected(
      "unsupported",
      `the WAV file's fmt chunk contradicts itself: ${channels} channels of ${bits} bits`
    )
  if (!Schema.is(SampleRate)(rate))
    return rejected("unsupported", `the WAV file's rate is ${rate} Hz; expected 8,000 to 192,000`)
  return Either.right({ rate, channels, float: code === 3, bits })
}

const decodeSamples = (
  view: DataView,
  at: number,
  size: number,
  format: Format,
  timeReference: number | undefined
): Either.Either<Wav, WavRejected> => {
  const step = format.bits / 8
  const count = Math.floor(size / (step * format.channels))
  const channel = (index: number): Float32Array => {
    const samples = new Float32Array(count)
    const stride = step * format.channels
    let from = at + index * step
    for (let i = 0; i < count; i++, from += stride) samples[i] = sampleAt(view, from, format)
    return samples
  }
  const first =
    format.channels === 1 && format.bits === 16 && littleEndian
      ? fromInt16(new Int16Array(view.buffer.slice(view.byteOffset + at, view.byteOffset + at + count * 2)))
      : channel(0)
  const others = Array.from({ length: format.channels - 1 }, (_, index) => channel(index + 1))
  return Either.right({ rate: format.rate, channels: [first, ...others], timeReference })
}

const sampleAt = (view: DataView, at: number, format: Format): number => {
  if (format.float) {
    const value = format.bits === 32 ? view.getFloat32(at, true) : view.getFloat64(at, true)
    return Number.isFinite(value) ? value : 0
  }
  switch (format.bits) {
    case 8:
      return (view.getUint8(at) - 128) / 128
    case 16:
      return view.getInt16(at, true) / 32_768
    case 24:
      return ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608
    default:
      return view.getInt32(at, true) / 2_147_483_648
  }
}

const downmixed = (channels: Wav["channels"]): Float32Array => {
  const [first, ...others] = channels
  if (others.length === 0) return first
  const samples = Float32Array.from(first)
  for (const other of others) for (let i = 0; i < samples.length; i++) samples[i]! += other[i]!
  for (let i = 0; i < samples.length; i++) samples[i]! /= channels.length
  return samples
}

/** EBU Tech 3285, version 1, without a UMID and without loudness. */
const bextChunk = (header: Writer, note: BroadcastNote): void => {
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

/** Fills a header from its beginning, little-endian. */
class Writer {
  private readonly view: DataView
  private at = 0

  constructor(size: number) {
    this.view = new DataView(new ArrayBuffer(size))
  }

  tag(name: string): void {
    this.text(name, 4)
  }

  text(value: string, size: number): void {
    for (let i = 0; i < size; i++) {
      const code = i < value.length ? value.charCodeAt(i) : 0
      this.view.setUint8(this.at++, code > 126 ? 63 : code)
    }
  }

  bytes(values: Uint8Array): void {
    for (const value of values) this.view.setUint8(this.at++, value)
  }

  u16(value: number): void {
    this.view.setUint16(this.at, value, true)
    this.at += 2
  }

  u32(value: number): void {
    this.view.setUint32(this.at, value, true)
    this.at += 4
  }

  u64(value: number): void {
    this.u32(value % 4_294_967_296)
    this.u32(Math.floor(value / 4_294_967_296))
  }

  done(): Uint8Array {
    return new Uint8Array(this.view.buffer)
  }
}
