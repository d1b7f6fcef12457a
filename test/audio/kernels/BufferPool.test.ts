import { expect, it, vi } from "vitest"

// Loads a fresh module, so that the pool's count excludes arrays that other test files borrowed in this process.
vi.resetModules()
const { BufferPool: Rooms } = await import("../../../src/audio/kernels/BufferPool.ts")

/** Returns the indices of the rooms that share memory with `one`. */
const sharing = (one: Float32Array, rooms: ReadonlyArray<Float32Array>) =>
  rooms.flatMap((room, at) => {
    const apart =
      one.byteOffset >= room.byteOffset + room.byteLength ||
      room.byteOffset >= one.byteOffset + one.byteLength
    return one.buffer === room.buffer && !apart ? [at] : []
  })

it("lends no array twice before its time has passed, and reuses it afterwards", () => {
  const rooms = new Rooms()
  const first = rooms.take(1_000)
  const second = rooms.take(700)
  expect([first.length, second.length]).toEqual([1_000, 700])
  expect(sharing(second, [first])).toEqual([])
  rooms.hold(5_000)
  rooms.free(4_999)
  const third = rooms.take(900)
  expect(sharing(third, [first, second])).toEqual([])
  rooms.hold(9_000)
  rooms.free(5_000)
  const again = [rooms.take(1_000), rooms.take(1_000)].flatMap((room) => sharing(room, [first, second]))
  expect(again.toSorted()).toEqual([0, 1])
  expect(sharing(rooms.take(1_000), [first, second, third])).toEqual([])
})

it("lends arrays that other pools returned, and continues on the heap when the kernels' memory is full", () => {
  const [one, other] = [new Rooms(), new Rooms()]
  const long = Array.from({ length: 12 }, () => one.take(2_000_000))
  const samples = long.map((room, at) => room.fill(at))
  expect(samples.map((room, at) => room[1_999_999] === at)).not.toContain(false)
  const inside = long.filter(({ buffer }) => buffer === one.take(1).buffer)
  expect(inside.length).toBeGreaterThan(3)
  expect(inside.length).toBeLessThan(12)
  one.freeAll()
  expect(sharing(other.take(2_000_000), inside)).toHaveLength(1)
})
