/** The scheduler of the service's fibers: their order, and the turns of the event loop that they leave to others. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTimeSlices } from "../../../src/service/TimeSlices.ts"

/** A scheduler whose tasks take a millisecond each, and a log of its tasks and of the turns between them. */
const scheduled = () => {
  let time = 0
  const log: Array<string> = []
  const turns: Array<() => void> = []
  const slices = makeTimeSlices(
    () => time,
    (act) => turns.push(act)
  )
  const add = (name: string, priority = 0, more: () => void = () => undefined): void =>
    slices.scheduleTask(() => {
      time++
      log.push(name)
      more()
    }, priority)
  const turn = (): boolean => {
    const next = turns.shift()
    next?.()
    if (turns.length > 0) log.push("turn")
    return next !== undefined
  }
  return { add, log, turn }
}

it("runs all tasks in order, for 2 ms between turns of the event loop", () => {
  const { add, log, turn } = scheduled()
  for (const name of ["a", "b", "c"]) add(name, 0, () => add(`${name} again`))
  add("late", 1)
  while (turn());
  const pause = Array.from({ length: 8 }, () => "turn")
  expect(log).toEqual([
    ...["a", "b", ...pause, "c", "late", ...pause, "a again", "b again", ...pause, "c again"]
  ])
  add("d")
  while (turn());
  expect(log.at(-1)).toBe("d")
})

it.live("leaves turns of the event loop to others while many fibers are busy", () =>
  Effect.gen(function* () {
    let turns = 0
    const busy = Effect.sync(() => {
      for (const end = performance.now() + 1; performance.now() < end;);
    })
    const fibers = Effect.forEach(
      Array.from({ length: 20 }),
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
    expect(turns).toBeGreaterThan(50)
  })
)
