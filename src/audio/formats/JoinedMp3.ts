/**
 * Reads MP3 files that a service has joined from several: with tags, Xing headers or text between and after their
 * frames, or with a frame cut off where the next file begins. Players skip what is not a frame.
 */
import { type Mp3Header, mp3HeaderAt } from "./Mp3Header.ts"

/**
 * Returns only the frames of a joined file. Undefined if there is nothing to remove but the usual tags around the
 * frames, or if more is wrong: bytes that nothing explains, or fewer frames than a Xing header states.
 */
export const joinedMp3 = (bytes: Uint8Array): Uint8Array | undefined => {
  const pieces: Array<Uint8Array> = []
  let [at, kept, lost, foreign] = [0, 0, 0, 0]
  let before: Mp3Header | undefined
  let stated = { frames: 0, found: 0 }
  const isWhole = () => stated.found + maxCut >= stated.frames
  while (at < bytes.length) {
    const header = frameAt(bytes, at, before !== undefined)
    if (header === undefined) {
      const next = nextFrame(bytes, at + 1)
      const gap = bytes.subarray(at, next)
      // A frame that the file's end cuts off was not joined with anything.
      const cut = mp3HeaderAt(bytes, at)
      if (cut !== undefined && next === bytes.length && before !== undefined) return undefined
      if (!isExplained(gap)) {
        lost += gap.length
        if (gap.length > maxFrame) return undefined
      }
      if (kept > 0 && !(next === bytes.length && isUsualEnd(gap))) foreign++
      at = next
      before = undefined
      continue
    }
    const frames = framesStated(bytes, at, header)
    if (frames !== undefined) {
      if (!isWhole()) return undefined
      stated = { frames, found: 0 }
      if (kept > 0) foreign++
    } else stated.found++
    // A Xing header inside is a frame of silence.
    if (frames === undefined || kept > 0) {
      pieces.push(bytes.subarray(at, at + header.size))
      kept += header.size
    }
    if (before !== undefined && (before.rate !== header.rate || before.channels !== header.channels))
      foreign++
    at += header.size
    before = header
  }
  return foreign === 0 || !isWhole() || lost > kept * maxLost
    ? undefined
    : new Uint8Array(Buffer.concat(pieces))
}

/** Most frames that a file may lack where the next one begins. */
const maxCut = 2

/** Bytes of the longest frame: 320 kbit/s at 32 kHz. */
const maxFrame = 1_440

/** Largest share of unexplained bytes: of the frames that were cut off where files were joined. */
const maxLost = 0.05

/**
 * Returns the header of a whole frame. Something must follow it that is known to follow a frame, unless it follows a
 * frame itself. Not even then if another frame begins inside it: it is cut off.
 */
const frameAt = (bytes: Uint8Array, at: number, isBehindFrame: boolean): Mp3Header | undefined => {
  const header = mp3HeaderAt(bytes, at)
  if (header === undefined || at + header.size > bytes.length) return undefined
  const end = at + header.size
  if (end === bytes.length || mp3HeaderAt(bytes, end) !== undefined || tagLength(bytes, end) > 0)
    return header
  return isBehindFrame && nextFrame(bytes, at + 1) >= end ? header : undefined
}

/** Returns where the next frame begins that two more follow, or the file's end. */
const nextFrame = (bytes: Uint8Array, from: number): number => {
  for (let at = from; at < bytes.length; at++) {
    at += tagLength(bytes, at)
    const first = mp3HeaderAt(bytes, at)
    const second = first && mp3HeaderAt(bytes, at + first.size)
    if (
      first !== undefined &&
      second?.rate === first.rate &&
      second.first === first.first &&
      (at + first.size + second.size >= bytes.length ||
        mp3HeaderAt(bytes, at + first.size + second.size)?.rate === first.rate)
    )
      return at
  }
  return bytes.length
}

/** Length of the ID3v2 or ID3v1 tag at a position; 0 without one. */
const tagLength = (bytes: Uint8Array, at: number): number => {
  // Most bytes begin no tag, and a file has millions.
  if (bytes[at] !== 0x49 && bytes[at] !== 0x54) return 0
  const name = String.fromCharCode(...bytes.subarray(at, at + 5))
  // "TAGEX" is in the name of an APE tag.
  if (name.startsWith("TAG") && name !== "TAGEX" && at + 128 <= bytes.length) return 128
  if (!name.startsWith("ID3") || bytes.subarray(at + 6, at + 10).some((size) => size > 127)) return 0
  return 10 + ((bytes[at + 6]! << 21) | (bytes[at + 7]! << 14) | (bytes[at + 8]! << 7) | bytes[at + 9]!)
}

/** Whether bytes are tags, zeros or text. There may be very many tags. */
const isExplained = (gap: Uint8Array): boolean => {
  let from = 0
  for (let at = 0; at < gap.length; at++) {
    const size = tagLength(gap, at)
    if (size === 0) continue
    if (!isText(gap.subarray(from, at))) return false
    from = at + size
    at = from - 1
  }
  return isText(gap.subarray(from))
}

const isText = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder().decode(bytes, { stream: true })
  return text.includes("APETAGEX") || !/[\u0001-\u0008\u000e-\u001f\ufffd]/u.test(text)
}

/** Whether bytes at the end of a file are one ID3v1 tag. */
const isUsualEnd = (gap: Uint8Array): boolean => gap.length === 128 && tagLength(gap, 0) === 128

/** Returns the number of frames in a Xing, Info or VBRI header, 0 if it states none; undefined without a header. */
const framesStated = (bytes: Uint8Array, at: number, { side }: Mp3Header): number | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  const nameAt = (place: number) => String.fromCharCode(...bytes.subarray(at + place, at + place + 4))
  if (nameAt(36) === "VBRI") return view.getUint32(50)
  if (nameAt(4 + side) !== "Xing" && nameAt(4 + side) !== "Info") return undefined
  return (bytes[at + side + 11]! & 1) === 1 ? view.getUint32(side + 12) : 0
}
