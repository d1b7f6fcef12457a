/** The real command before a service that takes shorter texts than was thought. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { scene, started } from "./Command.ts"

it.scopedLive(
  "a text that is refused as too long fails its job, and the next run sends it in pieces that are taken",
  () =>
    Effect.gen(function* () {
      const long = ["One", "Two", "Three"].map(
        (first) => `${first} of those lines that go on for longer than anyone would have thought, and on.`
      )
      const { folder, service } = yield* scene(3, { longest: 150 }, (line) =>
        line === 2 ? long.join(" ") : `Line ${line}.`
      )
      yield* Effect.promise(async () => {
        const first = await started(folder, service).ended
        expect(first.how).toBe(3)
        expect(service.charged.length).toBe(2)
        expect((await started(folder, service).ended).how).toBe(0)
      })
      const lengths = service.charged.map(({ text }) => text.length)
      expect(lengths.length).toBeGreaterThan(3)
      expect(Math.max(...lengths)).toBeLessThanOrEqual(150)
    }),
  60_000
)
