/** WAV reader, and a writer for small 16-bit mono files. */
import { Either } from "effect"
import type { SampleRate } from "../../domain/time/Units.ts"
import { type Pcm, toInt16, tooLong } from "../pcm/Pcm.ts"
import { littleEndian } from "./ByteWriter.ts"
import { sampleBytesOf, unknownSize, wavHeader } from "./WavHeader.ts"
import {
  channelsOf,
  downmixed,
  readFormat,
  rejectWav,
  type WavFormat,
  type WavRejected
} from "./WavSamples.ts"

/** A decoded WAV file. */
export interface Wav {
  readonly rate: SampleRate
  /** Samples of each channel, ±1 at full scale; at least one channel. */
  readonly channels: readonly [Float32Array, ...ReadonlyArray<Float32Array>]
  readonly timeReference: number | undefined
}

/** Encodes a whole 16-bit mono file; samples are rounded without dither. */
export const encodeWav16 = (pcm: Pcm): Uint8Array => {
  const header = wavHeader({
    rate: pcm.rate,
    channels: 1,
    encoding: "int16",
    frames: pcm.samples.length
  })
  const file = new Uint8Array(header.length + pcm.samples.length * 2)
  file.set(header)
  if (littleEndian) toInt16(pcm.samples, new Int16Array(file.buffer, header.length))
  else file.set(sampleBytesOf(toInt16(pcm.samples)), header.length)
  return file
}

/** Returns `received` itself if its header is exactly what `encodeWav16` would write; else encodes `pcm` again. */
export const keptWav16 = (pcm: Pcm, received: Uint8Array): Uint8Array => {
  const { rate, samples } = pcm
  const header = wavHeader({ rate, channels: 1, encoding: "int16", frames: samples.length })
  const isSame =
    received.length === header.length + samples.length * 2 &&
    header.every((byte, at) => received[at] === byte)
  return isSame ? received : encodeWav16(pcm)
}

/**
 * Decodes a WAV file and averages its channels into one. Accepts integers of 8, 16, 24 and 32 bits, floats of 32 and 64
 * bits, A-law and µ-law. Sizes that a streaming writer left open (0, 0xFFFFFFFF and similar) mean "to the end". A file
 * shorter than its header states, or longer than `most` seconds, is rejected.
 */
export const decodeWav = (bytes: Uint8Array, most = Infinity): Either.Either<Pcm, WavRejected> =>
  Either.flatMap(samplesIn(bytes), ({ format, view, at, size }) =>
    (size * 8) / format.bits / format.channels > most * format.rate
      ? rejectWav("too-long", tooLong(most))
      : Either.right({ rate: format.rate, samples: downmixed(channelsOf(view, at, size, format)) })
  )

/** Like `decodeWav`, but keeps the channels apart and returns the Broadcast Wave time reference, if there is one. */
export const readWav = (bytes: Uint8Array): Either.Either<Wav, WavRejected> =>
  Either.map(samplesIn(bytes), ({ format, view, at, size, timeReference }) => ({
    rate: format.rate,
    channels: channelsOf(view, at, size, format),
    timeReference
  }))

/** The samples of a 16-bit mono file with this sample rate, unchanged. Undefined for any other or a damaged file. */
export const plainWav16 = (bytes: Uint8Array, rate: SampleRate): Int16Array<ArrayBuffer> | undefined => {
  const found = Either.getOrUndefined(samplesIn(bytes))
  if (found === undefined) return undefined
  const { view, at, size, format } = found
  if (format.rate !== rate || format.channels !== 1 || format.float || format.bits !== 16) return undefined
  const samples = new Int16Array(Math.floor(size / 2))
  if (littleEndian) new Uint8Array(samples.buffer).set(bytes.subarray(at, at + samples.byteLength))
  else for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(at + i * 2, true)
  return samples
}

/**
 * Fills in the sizes that a streaming writer left open. Returns the corrected header, up to the samples, and a view of
 * the samples. Undefined for any other file.
 */
export const closedWav = (bytes: Uint8Array): readonly [Uint8Array, Uint8Array] | undefined => {
  const found = Either.getOrUndefined(samplesIn(bytes))
  if (found === undefined) return undefined
  const { view, at, size, format } = found
  // A size in a ds64 chunk is not open.
  if (bytes[3] !== "F".charCodeAt(0) || view.getUint32(at - 4, true) === size) return undefined
  const whole = size - (size % ((format.channels * format.bits) / 8))
  const head = bytes.slice(0, at)
  const written = new DataView(head.buffer)
  written.setUint32(4, at - 8 + whole, true)
  written.setUint32(at - 4, whole, true)
  return [head, bytes.subarray(at, at + whole)]
}

/** Whether bytes are a WAV file with samples that `readWav` knows: not ADPCM, for example. It may be damaged. */
export const isWav = (bytes: Uint8Array): boolean =>
  Either.match(samplesIn(bytes), {
    onLeft: ({ reason }) => reason !== "not-wav" && reason !== "unsupported",
    onRight: () => true
  })

/** Where the samples of a file are in its bytes, and their format. */
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
    return rejectWav(
      "not-wav",
      `not a WAV file: its ${bytes.length} bytes do not begin with a RIFF or RF64 header`
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
      if (format === undefined) return rejectWav("no-format", "the WAV file has samples before its fmt chunk")
      const stated = size === unknownSize && bigData !== undefined ? bigData : size
      const open = (stated === 0 && openEnded) || isOpen(stated, left)
      if (!open && stated > left)
        return rejectWav(
          "truncated",
          `the WAV file states ${stated} bytes of samples but holds ${left}: it is truncated`
        )
      return Either.right({ format, view, at: body, size: open ? left : stated, timeReference })
    }
    if (size > left)
      return rejectWav("truncated", `the WAV file ends inside its "${name}" chunk: it is truncated`)
    if (name === "ds64" && size >= 24) bigData = u64At(view, body + 8)
    else if (name === "bext" && size >= 346) timeReference = u64At(view, body + 338)
    else if (name === "fmt ") {
      const read = readFormat(view, body, size)
      if (Either.isLeft(read)) return Either.left(read.left)
      format = read.right
    }
    at = body + size + (size % 2)
  }
  return rejectWav("no-data", "the WAV file has no samples: its data chunk is missing")
}

/** Writers to a pipe leave 0xFFFFFFFF or a value near a signed or unsigned 32-bit limit. */
const isOpen = (size: number, actual: number): boolean =>
  size === 0 ? actual > 0 : size >= 0x7fff_f000 && size > actual

const u64At = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 4_294_967_296
