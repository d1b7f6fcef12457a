import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  type FileStamp,
  hasArrived,
  seeFiles,
  type Sightings
} from "../../../src/app/commands/WatchCommand.ts"

const settle = 1_000
const stamp = (size: number, modified: number): FileStamp => ({ size, modified })

/** Looks at one file once per state, every 400 ms from time 0 on. Returns when it had arrived. */
const arrivals = (states: ReadonlyArray<FileStamp | undefined>): ReadonlyArray<boolean> => {
  let seen: Sightings = new Map()
  return states.map((state, look) => {
    seen = seeFiles(seen, new Map([["a", state]]), look * 400)
    return hasArrived(seen.get("a"), look * 400, settle)
  })
}

describe("a file has arrived", () => {
  it("once it has not changed for the settling time", () => {
    const done = stamp(9, 400)
    expect(arrivals([stamp(3, 0), done, done, done, done, done])).toEqual([
      false,
      false,
      false,
      false,
      true,
      true
    ])
  })

  it("at once if it was moved here whole, long after it was written", () => {
    expect(arrivals([stamp(9, -60_000)])).toEqual([true])
  })

  it("not while it is missing, empty, or growing with an old time of modification", () => {
    expect(arrivals([undefined, undefined, undefined, undefined])).toEqual([false, false, false, false])
    expect(arrivals([stamp(0, -60_000), stamp(0, -60_000)])).toEqual([false, false])
    expect(arrivals([stamp(0, -60_000), stamp(5, -60_000), stamp(9, -60_000)])).toEqual([false, false, false])
  })

  it("if it vanished in between, not before it has settled again", () => {
    const whole = stamp(9, -60_000)
    expect(arrivals([whole, undefined, whole, whole, whole, whole])).toEqual([
      true,
      false,
      false,
      false,
      false,
      true
    ])
  })

  it.prop(
    "never while its size still changes",
    [fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2 })],
    ([sizes]) => {
      const arrived = arrivals(sizes.map((size) => stamp(size, 0)))
      arrived.forEach((has, look) => {
        if (look > 0 && sizes[look] !== sizes[look - 1]) expect(has).toBe(false)
      })
    }
  )
})
