import { expect, it } from "vitest"
import { Rooms } from "../../src/audio/Rooms.ts"

it("lends no array twice before its time has passed, and the same ones again afterwards", () => {
  const rooms = new Rooms()
  const first = rooms.take(1_000)
  const second = rooms.take(700)
  expect([first.length, second.length]).toEqual([1_000, 700])
  expect(second.buffer).not.toBe(first.buffer)
  rooms.hold(5_000)
  rooms.free(4_999)
  const third = rooms.take(900)
  expect([first.buffer, second.buffer]).not.toContain(third.buffer)
  rooms.hold(9_000)
  rooms.free(5_000)
  expect([first.buffer, second.buffer]).toContain(rooms.take(1_000).buffer)
  expect([first.buffer, second.buffer]).toContain(rooms.take(1_000).buffer)
  expect([first.buffer, second.buffer, third.buffer]).not.toContain(rooms.take(1).buffer)
})
