/**
 * MP3 files of which every byte is accounted for: frames of one kind without a gap, each with all its data, and at most
 * the usual tags around them. Such a file any decoder decodes alike; what is odd about others is better judged by
 * ffmpeg.
 */
import { behindId3, type Mp3Header, mp3HeaderAt } from "./Mp3Header.ts"

export interface PlainMp3 {
  readonly rate: number
  readonly channels: 1 | 2
  /** Samples of a frame, a channel. */
  readonly frameSamples: number
  readonly frames: number
  /** Where the frames of sound stand in the file's bytes. */
  readonly from: number
  readonly to: number
  /** Decoded samples before the sound begins: what encoder and decoder lag behind, as far as the file tells it. */
  readonly skip: number
  /** Samples of the sound itself. */
  readonly length: number
}

/** What the file holds; undefined where anything about it is out of the ordinary. */
export const plainMp3 = (bytes: Uint8Array): PlainMp3 | undefined => {
  const start = behindId3(bytes)
  const first = mp3HeaderAt(bytes, start)
  if (first === undefined || isVbri(bytes, start)) return undefined
  const note = encoderNote(bytes, start, first)
  if (note === "odd") return undefined
  const from = note === undefined ? start : start + first.size
  const walk = walked(bytes, from, first)
  if (walk === undefined || walk.frames < fewestFrames) return undefined
  if (note !== undefined && note.frames !== walk.frames) return undefined
  const decoded = walk.frames * first.samples
  const skip = note === undefined ? 0 : note.delay + decoderDelay
  const end = note === undefined ? decoded : Math.min(decoded, decoded - note.padding + decoderDelay)
  if (end <= skip) return undefined
  return {
    rate: first.rate,
    channels: first.channels,
    frameSamples: first.samples,
    frames: walk.frames,
    from,
    to: walk.to,
    skip,
    length: end - skip
  }
}

/**
 * Frames like the file's first one, without any data in them: they sound of nothing but what overlaps from the frames
 * before.
 */
export const silentFrames = (bytes: Uint8Array, { from }: PlainMp3, count: number): Uint8Array => {
  const header = bytes.slice(from, from + 4)
  // Without the byte by which a frame may be longer.
  header[2]! &= ~2
  const size = mp3HeaderAt(header, 0)?.size ?? 0
  const silence = new Uint8Array(count * size)
  for (let at = 0; at < silence.length; at += size) silence.set(header, at)
  return silence
}

/** Samples that every decoder lags behind. */
const decoderDelay = 529

/** With fewer frames ffmpeg itself is not sure whether a file is an MP3. */
const fewestFrames = 8

/** What the encoder left in a silent frame before the others. */
interface EncoderNote {
  readonly frames: number
  /** Samples that it put before the sound, and behind it. */
  readonly delay: number
  readonly padding: number
}

/** The note in the first frame; undefined where there is none, "odd" where it does not tell all that matters. */
const encoderNote = (bytes: Uint8Array, at: number, header: Mp3Header): EncoderNote | undefined | "odd" => {
  const start = at + 4 + header.side
  const name = wordAt(bytes, start)
  if (name !== "Xing" && name !== "Info") return undefined
  const has = bytes[start + 7]!
  const encoder = start + 8 + 4 * (has & 1) + 2 * (has & 2) + 25 * (has & 4) + (has & 8) / 2
  // Its delays stand in the note's last bytes but twelve.
  if ((has & 1) === 0 || encoder + 24 > at + header.size || encoder + 24 > bytes.length) return "odd"
  if (!["LAME", "Lavf", "Lavc"].includes(wordAt(bytes, encoder))) return "odd"
  const delays = (bytes[encoder + 21]! << 16) | (bytes[encoder + 22]! << 8) | bytes[encoder + 23]!
  return { frames: int32At(bytes, start + 8), delay: delays >> 12, padding: delays & 0xfff }
}

/** Whether the first frame holds another encoder's note. */
const isVbri = (bytes: Uint8Array, at: number): boolean => wordAt(bytes, at + 36) === "VBRI"

/**
 * The frames from here to the file's end, or to the short tag that may stand there; undefined where anything else is
 * found.
 */
const walked = (
  bytes: Uint8Array,
  from: number,
  first: Mp3Header
): { readonly frames: number; readonly to: number } | undefined => {
  let frames = 0
  let at = from
  /** Bytes of the frames before that this one may use. */
  let saved = 0
  while (at < bytes.length) {
    const header = mp3HeaderAt(bytes, at)
    if (header === undefined) return isId3v1(bytes, at) ? { frames, to: at } : undefined
    if (!isAlike(header, first) || at + header.size > bytes.length) return undefined
    const needed = neededBefore(bytes, at, header)
    if (needed === undefined || needed > saved) return undefined
    saved = Math.min(header.first ? 511 : 255, saved + header.size - 4 - header.side)
    at += header.size
    frames++
  }
  return { frames, to: at }
}

const isAlike = (header: Mp3Header, first: Mp3Header): boolean =>
  header.first === first.first &&
  header.rate === first.rate &&
  header.channels === first.channels &&
  !header.hasChecksum

/**
 * How many bytes of earlier frames a frame's sound begins before its own; undefined where its side information says
 * what cannot be, or more data than there is.
 */
const neededBefore = (bytes: Uint8Array, at: number, header: Mp3Header): number | undefined => {
  const { first, channels, side, size } = header
  const needed = first ? bitsAt(bytes, 8 * at + 32, 9) : bitsAt(bytes, 8 * at + 32, 8)
  // Behind private bits and, in MPEG-1, the marks of shared scale factors.
  let bit = 8 * at + 32 + (first ? (channels === 1 ? 18 : 20) : channels === 1 ? 9 : 10)
  let data = 0
  for (let granule = 0; granule < (first ? 2 : 1) * channels; granule++) {
    data += bitsAt(bytes, bit, 12)
    if (bitsAt(bytes, bit + 12, 9) > mostPairs) return undefined
    const window = bit + (first ? 33 : 38)
    if (bitsAt(bytes, window, 1) === 1) {
      if (bitsAt(bytes, window + 1, 2) === 0) return undefined
      if (isNoTable(bitsAt(bytes, window + 4, 5)) || isNoTable(bitsAt(bytes, window + 9, 5))) return undefined
    } else if (
      isNoTable(bitsAt(bytes, window + 1, 5)) ||
      isNoTable(bitsAt(bytes, window + 6, 5)) ||
      isNoTable(bitsAt(bytes, window + 11, 5))
    ) {
      return undefined
    }
    bit += first ? 59 : 63
  }
  return data > 8 * (needed + size - 4 - side) ? undefined : needed
}

/** Pairs of large values that a granule of 576 has room for. */
const mostPairs = 288

/** Code tables that the standard leaves out. */
const isNoTable = (table: number): boolean => table === 4 || table === 14

/** Up to 24 bits. */
const bitsAt = (bytes: Uint8Array, bit: number, count: number): number => {
  const at = bit >> 3
  const word = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  return (word << (bit & 7)) >>> (32 - count)
}

const isId3v1 = (bytes: Uint8Array, at: number): boolean =>
  at + 128 === bytes.length && wordAt(bytes, at).startsWith("TAG")

const wordAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))

const int32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
