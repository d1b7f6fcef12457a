/** The scheduler of the service's fibers: their order, and the turns of the event loop that they leave to others. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fibersPerStart, makeTimeSlices, startPriority } from "../../../src/service/TimeSlices.ts"

/** A scheduler whose tasks take a millisecond each, and a log of its tasks and of the turns between them. */
const scheduled = () => {
  let time = 0
  const log: Array<string> = []
  const now: Array<() => void> = []
  const later: Array<() => void> = []
  const slices = makeTimeSlices(
    () => time,
    (act) => later.push(act),
    (act) => now.push(act)
  )
  const add = (name: string, priority = 0, more: () => void = () => undefined): void =>
    slices.scheduleTask(() => {
      time++
      log.push(name)
      more()
    }, priority)
  /** Runs everything, and logs each turn of the event loop that takes `milliseconds`. */
  const drain = (milliseconds = 0): ReadonlyArray<string> => {
    for (;;) {
      for (let act = now.shift(); act !== undefined; act = now.shift()) act()
      const acts = later.splice(0)
      if (acts.length === 0) return log.splice(0)
      log.push("turn")
      time += milliseconds
      for (const act of acts) act()
    }
  }
  return { add, drain }
}

const names = ["a", "b", "c", "d", "e", "f"]
const pause = Array.from({ length: 8 }, () => "turn")

it("runs all tasks in order, for 2 ms between turns of the event loop", () => {
  const { add, drain } = scheduled()
  for (const name of ["a", "b", "c"]) add(name, 0, () => add(`${name} again`))
  expect(drain()).toEqual([...["a", "b", ...pause, "c", "a again", ...pause, "b again", "c again", "turn"]])
  add("d")
  expect(drain()).toEqual(["d", "turn"])
})

it("runs fibers before new requests, but starts one after every few tasks of fibers", () => {
  const { add, drain } = scheduled()
  const order = () => drain().filter((entry) => entry !== "turn")
  for (const name of ["1", "2", "3"]) add(`request ${name}`, startPriority)
  add("a", 0, () => add("a again"))
  expect(order()).toEqual(["a", "a again", "request 1", "request 2", "request 3"])
  for (const name of ["1", "2"]) add(`request ${name}`, startPriority)
  for (let task = 1; task <= fibersPerStart + 1; task++) add(`task ${task}`)
  const begun = order()
  expect(begun.indexOf("request 1")).toBe(fibersPerStart)
  expect(begun.slice(fibersPerStart + 1)).toEqual([`task ${fibersPerStart + 1}`, "request 2"])
})

it("runs as long as long turns took", () => {
  const { add, drain } = scheduled()
  for (const name of names) add(name)
  expect(drain(3)).toEqual(["a", "b", "turn", "c", "d", "e", "turn", "f", "turn"])
})

it.live("leaves turns of the event loop to others while many fibers are busy", () =>
  Effect.gen(function* () {
    let turns = 0
    const busy = Effect.sync(() => {
      for (const end = performance.now() + 1; performance.now() < end;);
    })
    const fibers = Effect.forEach(
      Array.from({ length: 100 }),
      () => Effect.zipRight(Effect.yieldNow(), busy),
      {
        concurrency: "unbounded"
      }
    )
    const count = (): void => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    yield* Effect.withScheduler(fibers, makeTimeSlices())
    clearImmediate(next)
    // Effect's own scheduler runs all of them in one turn; slices are 20 ms at most.
    expect(turns).toBeGreaterThan(3)
  })
)
