/** Arrays that are used again, for samples that are needed for a while only. */
import { around, buffer, lentAt } from "./KernelMemory.ts"

/** Where so many samples may be written: they must be, there may be anything in it. */
export type Buffer32 = (length: number) => Float32Array<ArrayBuffer>

/** A room that nobody else has had, or will have. */
export const newBuffer: Buffer32 = (length) => new Float32Array(length)

/** A room for so many doubles. */
export const doublesIn = (room: Buffer32, length: number): Float64Array => {
  const { buffer, byteOffset } = room(2 * length)
  return new Float64Array(buffer, byteOffset, length)
}

/** One for at least so many samples: the one that there is, if it is large enough. */
export const bufferFor = (length: number, present: Float32Array | undefined, room: Buffer32): Float32Array =>
  present !== undefined && present.length >= length ? present : room(length)

/**
 * Lends arrays until a position in time, or until it is asked to free them all: in the memory of the inner loops, while
 * there is any left.
 */
export class BufferPool {
  private lent: Array<Float32Array<ArrayBuffer>> = []
  private held: Array<{ readonly room: Float32Array<ArrayBuffer>; readonly until: number }> = []

  /** So many samples, whatever stands in them. */
  readonly take: Buffer32 = (length) => {
    // A power of two, so that few sizes serve all.
    const size = 2 ** Math.ceil(Math.log2(Math.max(64, length)))
    const room = spare.get(size)?.pop() ?? unlent(size) ?? new Float32Array(length)
    this.lent.push(room)
    return room.subarray(0, length)
  }

  /** What was taken since the last call is needed until so far. */
  hold(until: number): void {
    for (const room of this.lent) this.held.push({ room, until })
    this.lent = []
  }

  /** Nothing before `position` is needed any more, but for what was not held. */
  free(position: number): void {
    for (const { room, until } of this.held) if (until <= position) giveBack(room)
    this.held = this.held.filter(({ until }) => until > position)
  }

  /** Nothing is needed any more. */
  freeAll(): void {
    this.hold(-Infinity)
    this.free(Infinity)
  }
}

/** What was given back, by its size. */
const spare = new Map<number, Array<Float32Array<ArrayBuffer>>>()

const giveBack = (room: Float32Array<ArrayBuffer>): void => {
  // Others are collected with the garbage.
  if (room.buffer !== buffer) return
  const others = spare.get(room.length)
  if (others === undefined) spare.set(room.length, [room])
  else others.push(room)
}

/** From here on nothing was lent yet. */
let free = lentAt

const unlent = (size: number): Float32Array<ArrayBuffer> | undefined => {
  const at = free
  const behind = at + 4 * (size + around)
  if (behind > buffer.byteLength) return undefined
  free = behind
  return new Float32Array(buffer, at, size)
}
