/** WAV fmt chunk parser and sample decoder. */
import { Either, Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"
import { int16At } from "./Int16.ts"
import { fromInt16 } from "../pcm/Pcm.ts"

/** Fails a WAV file that is invalid or unsupported. */
export class WavRejected extends Schema.TaggedError<WavRejected>()("WavRejected", {
  reason: Schema.Literal("not-wav", "no-format", "unsupported", "no-data", "truncated", "too-long"),
  /** The found and the expected content. */
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Returns a failure; `detail` names the found and the expected content. */
export const rejectWav = (reason: WavRejected["reason"], detail: string): Either.Either<never, WavRejected> =>
  Either.left(new WavRejected({ reason, detail }))

/** Sample format of a WAV file. */
export interface WavFormat {
  readonly rate: SampleRate
  readonly channels: number
  /** Floats if true, else integers. */
  readonly float: boolean
  readonly bits: number
  /** The logarithmic law of telephone sound in 8 bits (G.711). */
  readonly law?: "a" | "mu"
}

/** Parses the body of a fmt chunk: `size` bytes from `at`. */
export const readFormat = (
  view: DataView,
  at: number,
  size: number
): Either.Either<WavFormat, WavRejected> => {
  if (size < 16)
    return rejectWav("no-format", `the WAV file's fmt chunk has ${size} bytes; expected at least 16`)
  const stated = view.getUint16(at, true)
  const code = stated === 0xfffe && size >= 40 ? view.getUint16(at + 24, true) : stated
  const channels = view.getUint16(at + 2, true)
  const rate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)
  const law = code === 6 ? "a" : code === 7 ? "mu" : undefined
  const known =
    (law !== undefined && bits === 8) ||
    (code === 1 && [8, 16, 24, 32].includes(bits)) ||
    (code === 3 && [32, 64].includes(bits))
  if (!known)
    return rejectWav(
      "unsupported",
      `unsupported WAV samples: format ${code} with ${bits} bits; expected PCM of 8, 16, 24 or 32 bits, floats of 32 or 64, or A-law or µ-law`
    )
  if (channels === 0 || view.getUint16(at + 12, true) !== (channels * bits) / 8)
    return rejectWav(
      "unsupported",
      `the WAV file's fmt chunk is inconsistent: ${channels} channels of ${bits} bits with another frame size`
    )
  if (!isSampleRate(rate))
    return rejectWav("unsupported", `unsupported WAV sample rate: ${rate} Hz; expected 8,000 to 192,000`)
  return Either.right({ rate, channels, float: code === 3, bits, ...(law === undefined ? {} : { law }) })
}

const isSampleRate = Schema.is(SampleRate)

/** Decodes `size` bytes from `at` into one array per channel, ±1 at full scale; an incomplete last frame is dropped. */
export const channelsOf = (
  view: DataView,
  at: number,
  size: number,
  format: WavFormat
): readonly [Float32Array, ...ReadonlyArray<Float32Array>] => {
  const step = format.bits / 8
  const count = Math.floor(size / (step * format.channels))
  const channel = (index: number): Float32Array => {
    const samples = new Float32Array(count)
    const stride = step * format.channels
    let from = at + index * step
    for (let i = 0; i < count; i++, from += stride) samples[i] = sampleAt(view, from, format)
    return samples
  }
  const first = format.channels === 1 && format.bits === 16 ? fromInt16(int16At(view, at, count)) : channel(0)
  const others = Array.from({ length: format.channels - 1 }, (_, index) => channel(index + 1))
  return [first, ...others]
}

/** Averages the channels into one. */
export const downmixed = (
  channels: readonly [Float32Array, ...ReadonlyArray<Float32Array>]
): Float32Array => {
  const [first, ...others] = channels
  if (others.length === 0) return first
  const samples = Float32Array.from(first)
  for (const other of others) for (let i = 0; i < samples.length; i++) samples[i]! += other[i]!
  for (let i = 0; i < samples.length; i++) samples[i]! /= channels.length
  return samples
}

const sampleAt = (view: DataView, at: number, format: WavFormat): number => {
  if (format.float) {
    const value = format.bits === 32 ? view.getFloat32(at, true) : view.getFloat64(at, true)
    return Number.isFinite(value) ? value : 0
  }
  switch (format.bits) {
    case 8:
      return format.law === undefined
        ? (view.getUint8(at) - 128) / 128
        : expanded(view.getUint8(at), format.law) / 32_768
    case 16:
      return view.getInt16(at, true) / 32_768
    case 24:
      return ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608
    default:
      return view.getInt32(at, true) / 2_147_483_648
  }
}

/** Expands a byte of G.711 to 16 bits: a sign, an exponent of three bits, and a mantissa of four. */
const expanded = (byte: number, law: "a" | "mu"): number => {
  const code = byte ^ (law === "a" ? 0x55 : 0xff)
  const [exponent, mantissa] = [(code >> 4) & 7, code & 15]
  const linear = law === "a" && exponent === 0 ? 2 * mantissa + 1 : 2 * mantissa + 33
  const size = law === "a" ? (8 * linear) << Math.max(0, exponent - 1) : 4 * ((linear << exponent) - 33)
  return ((code & 0x80) === 0) === (law === "a") ? -size : size
}
