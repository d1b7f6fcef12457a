import { setImmediate } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { collectBetweenSteps, collectGrownHeap } from "../../../src/domain/values/GarbageCollection.ts"

const madeGarbage = () => new WeakRef({ kept: false })

const grown = () => Array.from({ length: 1_000_000 }, (_, at) => ({ at, next: at + 1, last: at - 1 }))

it("collects garbage between steps once old objects have grown", async () => {
  const garbage = madeGarbage()
  const kept = grown()
  // A weak reference holds its object until the current task ends.
  await setImmediate()
  onTestFinished(collectBetweenSteps())
  collectGrownHeap()
  expect([garbage.deref(), kept.length]).toEqual([undefined, 1_000_000])
})
