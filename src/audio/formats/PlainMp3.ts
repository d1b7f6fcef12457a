/**
 * Strict MP3 parser: accepts only files without unexplained bytes. Frames must be of one kind, without gaps and
 * complete, with at most the usual tags around them. Every decoder decodes such a file alike; ffmpeg handles the others
 * better.
 */
import { behindId3, type Mp3Header, mp3HeaderAt } from "./Mp3Header.ts"

export interface PlainMp3 {
  readonly rate: number
  readonly channels: 1 | 2
  /** Samples of a frame, per channel. */
  readonly frameSamples: number
  readonly frames: number
  /** Byte range of the audio frames in the file. */
  readonly from: number
  readonly to: number
  /** Decoded samples before the sound begins: the delay of encoder and decoder, where the file states it; else 0. */
  readonly skip: number
  /** Samples of the sound itself, per channel. */
  readonly length: number
}

/** Parses an MP3 file; undefined if anything about it is unusual. */
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
 * Returns `count` frames like the file's first one, but without data. They decode to silence, except for the overlap
 * from the frames before.
 */
export const silentFrames = (bytes: Uint8Array, { from }: PlainMp3, count: number): Uint8Array => {
  const header = bytes.slice(from, from + 4)
  // Without the padding bit, which makes a frame one byte longer.
  header[2]! &= ~2
  const size = mp3HeaderAt(header, 0)?.size ?? 0
  const silence = new Uint8Array(count * size)
  for (let at = 0; at < silence.length; at += size) silence.set(header, at)
  return silence
}

/** Delay of every MP3 decoder, in samples. */
const decoderDelay = 529

/** Below this number of frames, ffmpeg itself is not sure that a file is an MP3. */
const fewestFrames = 8

/** The Xing/Info header with its LAME tag: metadata in a silent frame before the others. */
interface EncoderNote {
  readonly frames: number
  /** Samples that the encoder inserted before the sound, and after it. */
  readonly delay: number
  readonly padding: number
}

/**
 * Reads the Xing/Info header of the first frame; undefined if there is none, "odd" if it lacks a frame count or delays.
 */
const encoderNote = (bytes: Uint8Array, at: number, header: Mp3Header): EncoderNote | undefined | "odd" => {
  const start = at + 4 + header.side
  const name = wordAt(bytes, start)
  if (name !== "Xing" && name !== "Info") return undefined
  const has = bytes[start + 7]!
  const encoder = start + 8 + 4 * (has & 1) + 2 * (has & 2) + 25 * (has & 4) + (has & 8) / 2
  // The delays end 12 bytes before the end of the 36-byte LAME tag.
  if ((has & 1) === 0 || encoder + 24 > at + header.size || encoder + 24 > bytes.length) return "odd"
  if (!["LAME", "Lavf", "Lavc"].includes(wordAt(bytes, encoder))) return "odd"
  const delays = (bytes[encoder + 21]! << 16) | (bytes[encoder + 22]! << 8) | bytes[encoder + 23]!
  return { frames: int32At(bytes, start + 8), delay: delays >> 12, padding: delays & 0xfff }
}

/** Whether the first frame holds a VBRI header, which another encoder (Fraunhofer) writes. */
const isVbri = (bytes: Uint8Array, at: number): boolean => wordAt(bytes, at + 36) === "VBRI"

/** Counts the frames from `from` to the end of the file, or to its ID3v1 tag; undefined if anything else is found. */
const walked = (
  bytes: Uint8Array,
  from: number,
  first: Mp3Header
): { readonly frames: number; readonly to: number } | undefined => {
  let frames = 0
  let at = from
  /** Size of the bit reservoir: bytes of earlier frames that this frame may use. */
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
 * Returns how many bytes before the frame its data begins (main_data_begin). Undefined if its side information is
 * invalid, or states more data than there is.
 */
const neededBefore = (bytes: Uint8Array, at: number, header: Mp3Header): number | undefined => {
  const { first, channels, side, size } = header
  const needed = first ? bitsAt(bytes, 8 * at + 32, 9) : bitsAt(bytes, 8 * at + 32, 8)
  // After private bits and, in MPEG-1, the scfsi bits (shared scale factors).
  let bit = 8 * at + 32 + (first ? (channels === 1 ? 18 : 20) : channels === 1 ? 9 : 10)
  let data = 0
  for (let granule = 0; granule < (first ? 2 : 1) * channels; granule++) {
    data += bitsAt(bytes, bit, 12)
    if (bitsAt(bytes, bit + 12, 9) > maxPairs) return undefined
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

/** Pairs of big values that fit a granule of 576 lines. */
const maxPairs = 288

/** Huffman tables that the standard leaves undefined. */
const isNoTable = (table: number): boolean => table === 4 || table === 14

/** Reads up to 24 bits, most significant first. */
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
