/**
 * How arrays come to the inner loops. What stands in the loops' own memory is worked on where it stands; of any other
 * array some thousands of samples at a time are copied there, and back.
 */
import { around, atOnce, buffer, inAt, outAt, samplesIn, samplesOut } from "./KernelMemory.ts"

type Samples = Float32Array | Int16Array

/** Where the samples of an array from `at` on stand in the memory; undefined for an array that stands elsewhere. */
const placeOf = (samples: Samples, at: number): number | undefined =>
  samples.buffer === buffer ? samples.byteOffset + at * samples.BYTES_PER_ELEMENT : undefined

/** Where `count` samples from `from` on can be read, with `before` samples before and `behind` behind them. */
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

/** The same for integers. */
export const integersAt = (integers: Int16Array, from: number, count: number): number => {
  const place = placeOf(integers, from)
  if (place !== undefined) return place
  integersIn.set(integers.subarray(from, from + count))
  return inAt
}

/** Where what belongs to an array from `at` on can be written; `written` brings it there. */
export const writeAt = (into: Samples, at: number): number => placeOf(into, at) ?? outAt

/** Brings `count` samples to where they belong, unless they were written there. */
export const writeThrough = (place: number, count: number, into: Samples, at: number): void => {
  if (place !== outAt) return
  if (into instanceof Int16Array) into.set(integersOut.subarray(0, count), at)
  else into.set(samplesOut.subarray(0, count), at)
}

/** Where `count` samples from `at` on can be changed; `written` brings them back. */
export const changeAt = (samples: Float32Array, at: number, count: number): number => {
  const place = placeOf(samples, at)
  if (place !== undefined) return place
  samplesOut.set(samples.subarray(at, at + count))
  return outAt
}

/**
 * Goes along `count` samples, some thousands at a time: calls `each` with how many there are and how many came earlier.
 */
export const along = (count: number, each: (some: number, done: number) => void): void => {
  for (let done = 0; done < count; done += atOnce) each(Math.min(atOnce, count - done), done)
}

const integersIn = new Int16Array(buffer, inAt, atOnce)
const integersOut = new Int16Array(buffer, outAt, atOnce)
