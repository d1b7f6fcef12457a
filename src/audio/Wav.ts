/** WAV files as bytes: RIFF, RF64 beyond 4 GiB, and Broadcast Wave's time reference. */
import { Either } from "effect"
import type { Frames, SampleRate } from "../domain/Units.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { type Pcm, toInt16 } from "./Pcm.ts"
import {
  channelsOf,
  downmixed,
  int16At,
  littleEndian,
  readFormat,
  rejected,
  type WavFormat,
  type WavRejected
} from "./WavSamples.ts"

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
  readonly channels: 1 | 2
  /** Integers of 16 bit or floats of 32, ±1 at full scale; little-endian. */
  readonly encoding: "int16" | "float32"
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
 * Everything that stands before the first sample; samples follow interleaved. Where a 32-bit size would overflow, the header is
 * RF64 with its sizes in a ds64 chunk.
 */
export const wavHeader = ({ rate, channels, encoding, frames, broadcast }: WavOptions): Uint8Array => {
  const float = encoding === "float32"
  const frame = channels * (float ? 4 : 2)
  const data = frames * frame
  // Floats need the longer format chunk, and a fact chunk that tells the frames.
  const plain = 12 + (broadcast === undefined ? 0 : 8 + bextBytes) + (float ? 26 + 12 : 24) + 8
  const big = plain - 8 + data >= unknownSize
  const header = new ByteWriter(plain + (big ? 36 : 0))

  header.tag(big ? "RF64" : "RIFF")
  header.u32(big ? unknownSize : plain - 8 + data)
  header.tag("WAVE")
  if (big) {
    header.tag("ds64")
    header.u32(28)
    header.u64(plain + 36 - 8 + data)
    header.u64(data)
    header.u64(frames)
    header.u32(0)
  }
  if (broadcast !== undefined) bextChunk(header, broadcast)

  header.tag("fmt ")
  header.u32(float ? 18 : 16)
  header.u16(float ? 3 : 1)
  header.u16(channels)
  header.u32(rate)
  header.u32(rate * frame)
  header.u16(frame)
  header.u16((8 * frame) / channels)
  if (float) {
    header.u16(0)
    header.tag("fact")
    header.u32(4)
    header.u32(Math.min(frames, unknownSize))
  }
  header.tag("data")
  header.u32(big ? unknownSize : data)
  return header.done()
}

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

/**
 * A file's samples, several channels averaged into one: integers of 8, 16, 24 and 32 bit and floats of 32 and 64. Sizes that a
 * streaming writer left open (0, 0xFFFFFFFF and the like) mean "to the end"; a file shorter than it says is refused.
 */
export const decodeWav = (bytes: Uint8Array): Either.Either<Pcm, WavRejected> =>
  Either.map(readWav(bytes), (wav) => ({ rate: wav.rate, samples: downmixed(wav.channels) }))

/** As `decodeWav`, with each channel by itself and the time reference where there is one. */
export const readWav = (bytes: Uint8Array): Either.Either<Wav, WavRejected> =>
  Either.map(samplesIn(bytes), ({ format, view, at, size, timeReference }) => ({
    rate: format.rate,
    channels: channelsOf(view, at, size, format),
    timeReference
  }))

/** The samples of a mono file of 16 bit as they stand in its bytes, without a copy where that can be. */
export const int16In = (
  bytes: Uint8Array
): Either.Either<{ readonly rate: SampleRate; readonly samples: Int16Array }, WavRejected> =>
  Either.flatMap(samplesIn(bytes), ({ format, view, at, size }) =>
    format.bits === 16 && format.channels === 1
      ? Either.right({ rate: format.rate, samples: int16At(view, at, Math.floor(size / 2)) })
      : rejected(
          "unsupported",
          `expected mono of 16 bit, found ${format.channels} channels of ${format.bits}`
        )
  )

/** Where the samples of a file stand in its bytes, and how they are written. */
interface SamplesIn {
  readonly format: WavFormat
  readonly view: DataView
  readonly at: number
  readonly size: number
  readonly timeReference: number | undefined
}

const samplesIn = (bytes: Uint8Array): Either.Either<SamplesIn, WavRejected> => {
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
      return Either.right({ format, view, at: body, size: open ? left : stated, timeReference })
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
