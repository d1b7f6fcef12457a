/** The real command with a service whose text limit is lower than configured. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { scene, started } from "./Command.ts"

it.scopedLive(
  "fails the job of a text that is rejected as too long, and sends it in shorter pieces in the next run",
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
