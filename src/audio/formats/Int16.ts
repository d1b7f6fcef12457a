/** 16-bit samples as stored in files and as returned by engines. */
import { littleEndian } from "./ByteWriter.ts"

/**
 * Returns `count` little-endian samples from `at` on: a view if the machine's byte order and alignment allow, else a
 * copy.
 */
export const int16At = (view: DataView, at: number, count: number): Int16Array => {
  const from = view.byteOffset + at
  if (littleEndian && from % 2 === 0) return new Int16Array(view.buffer, from, count)
  const samples = new Int16Array(count)
  for (let i = 0; i < count; i++) samples[i] = view.getInt16(at + 2 * i, true)
  return samples
}

/** Concatenates blocks of samples. */
export const joinedInt16 = (blocks: ReadonlyArray<Int16Array>): Int16Array => {
  const whole = new Int16Array(blocks.reduce((length, block) => length + block.length, 0))
  let at = 0
  for (const block of blocks) {
    whole.set(block, at)
    at += block.length
  }
  return whole
}

/** Returns the samples of a file that `encodeWav16` has written; undefined for any other file. */
export const plainSamplesIn = (bytes: Uint8Array): Int16Array | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isPlain =
    bytes.length >= plainHeader &&
    view.getUint32(36) === dataTag &&
    view.getUint16(20, true) === 1 &&
    view.getUint16(22, true) === 1 &&
    view.getUint16(34, true) === 16 &&
    plainHeader + view.getUint32(40, true) === bytes.length
  return isPlain ? int16At(view, plainHeader, (bytes.length - plainHeader) / 2) : undefined
}

/** Bytes before the first sample. */
const plainHeader = 44
/** ASCII "data". */
const dataTag = 0x64617461
