/** Buffer pool: reusable sample arrays for temporary work, in the kernels' WebAssembly memory while it has space. */
import { around, buffer, poolStart } from "./KernelMemory.ts"

/** Allocates an array of `length` samples. Its contents are undefined: the caller must write all of it. */
export type Buffer32 = (length: number) => Float32Array<ArrayBuffer>

/** Allocates a fresh array that is never reused. */
export const newBuffer: Buffer32 = (length) => new Float32Array(length)

/** Allocates an array of `length` doubles. */
export const doublesIn = (allocate: Buffer32, length: number): Float64Array => {
  const { buffer, byteOffset } = allocate(2 * length)
  return new Float64Array(buffer, byteOffset, length)
}

/** Returns `present` if it has at least `length` samples, else allocates a new array. */
export const bufferFor = (
  length: number,
  present: Float32Array | undefined,
  allocate: Buffer32
): Float32Array => (present !== undefined && present.length >= length ? present : allocate(length))

/**
 * Lends arrays until a position in time, or until all are freed. They come from the kernels' memory while it has space,
 * else from the heap.
 */
export class BufferPool {
  private lent: Array<Float32Array<ArrayBuffer>> = []
  private retained: Array<{ readonly array: Float32Array<ArrayBuffer>; readonly until: number }> = []

  /** Takes an array of `length` samples; its contents are undefined. */
  readonly take: Buffer32 = (length) => {
    // Rounded up to a power of two, so that few sizes serve all requests.
    const size = 2 ** Math.ceil(Math.log2(Math.max(64, length)))
    const array = spare.get(size)?.pop() ?? unlent(size) ?? new Float32Array(length)
    this.lent.push(array)
    return array.subarray(0, length)
  }

  /** Keeps the arrays taken since the last call until position `until` is freed. */
  hold(until: number): void {
    for (const array of this.lent) this.retained.push({ array, until })
    this.lent = []
  }

  /** Frees every held array that is not needed from `position` on. Arrays not yet held stay taken. */
  free(position: number): void {
    for (const { array, until } of this.retained) if (until <= position) giveBack(array)
    this.retained = this.retained.filter(({ until }) => until > position)
  }

  /** Frees all arrays. */
  freeAll(): void {
    this.hold(-Infinity)
    this.free(Infinity)
  }
}

/** Returned arrays, by size. */
const spare = new Map<number, Array<Float32Array<ArrayBuffer>>>()

const giveBack = (array: Float32Array<ArrayBuffer>): void => {
  // Arrays on the heap are left to the garbage collector.
  if (array.buffer !== buffer) return
  const others = spare.get(array.length)
  if (others === undefined) spare.set(array.length, [array])
  else others.push(array)
}

/** Offset of the first byte that has never been lent. */
let free = poolStart

const unlent = (size: number): Float32Array<ArrayBuffer> | undefined => {
  const at = free
  const behind = at + 4 * (size + around)
  if (behind > buffer.byteLength) return undefined
  free = behind
  return new Float32Array(buffer, at, size)
}
