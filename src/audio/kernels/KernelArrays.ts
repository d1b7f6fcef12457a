/**
 * Passes arrays to the kernels. Arrays in the kernels' own memory are used in place. Others are copied in and out, up
 * to 8,192 samples at a time.
 */
import { around, atOnce, buffer, inAt, outAt, samplesIn, samplesOut } from "./KernelMemory.ts"

type Samples = Float32Array | Int16Array | Uint8Array

/** Returns the address of sample `at` in the kernels' memory; undefined if the array is elsewhere. */
const placeOf = (samples: Samples, at: number): number | undefined =>
  samples.buffer === buffer ? samples.byteOffset + at * samples.BYTES_PER_ELEMENT : undefined

/**
 * Returns an address for reading `count` samples from `from` on, with `before` samples before and `behind` after them.
 */
export const readAt = (
  samples: Float32Array,
  from: number,
  count: number,
  before = 0,
  behind = 0
): number => {
  const place = placeOf(samples, from)
  if (place !== undefined) return place
  samplesIn.set(samples.subarray(from - before, from + count + behind), around - before)
  return inAt
}

/** Returns an address for writing to `into` from `at` on; call `writeThrough` afterwards. */
export const writeAt = (into: Samples, at: number): number => placeOf(into, at) ?? outAt

/** Copies `count` written samples to `into`, unless they were written in place. */
export const writeThrough = (place: number, count: number, into: Samples, at: number): void => {
  if (place !== outAt) return
  if (into instanceof Int16Array) into.set(integersOut.subarray(0, count), at)
  else if (into instanceof Uint8Array) into.set(bytesOut.subarray(0, count), at)
  else into.set(samplesOut.subarray(0, count), at)
}

/** Returns an address for reading `count` bytes from `from` on. */
export const readBytesAt = (bytes: Uint8Array, from: number, count: number): number => {
  const place = placeOf(bytes, from)
  if (place !== undefined) return place
  bytesIn.set(bytes.subarray(from, from + count))
  return inAt
}

/**
 * Returns the address of `count` samples from `at` on, copied into the kernel's memory if needed. After changing them,
 * call `writeThrough`.
 */
export const changeAt = (samples: Float32Array, at: number, count: number): number => {
  const place = placeOf(samples, at)
  if (place !== undefined) return place
  samplesOut.set(samples.subarray(at, at + count))
  return outAt
}

/**
 * Splits `count` samples into blocks of up to 8,192; calls `each` with the block's size and the number already done.
 */
export const along = (count: number, each: (some: number, done: number) => void): void => {
  for (let done = 0; done < count; done += atOnce) each(Math.min(atOnce, count - done), done)
}

const integersOut = new Int16Array(buffer, outAt, atOnce)
const bytesOut = new Uint8Array(buffer, outAt, 4 * atOnce)
const bytesIn = new Uint8Array(buffer, inAt, 4 * atOnce)
