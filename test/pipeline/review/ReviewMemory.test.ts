import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { cueEntries, type OverridesEntry } from "../../../src/pipeline/load/OverridesFile.ts"
import { moveAcross, saveChanges } from "../../../src/pipeline/review/ReviewHistory.ts"
import { makeReviewMemory } from "../../../src/pipeline/review/ReviewMemory.ts"

const fresh = () => {
  const state = mkdtempSync(join(tmpdir(), "dubwright-memory-"))
  const manifest = join(state, "nightly.yaml")
  const file = `${manifest}.overrides.yaml`
  return { state, manifest, file, text: () => (existsSync(file) ? readFileSync(file, "utf8") : undefined) }
}

/** Saves a change as the review server does. */
const saved = Effect.fnUntraced(function* (
  place: ReturnType<typeof fresh>,
  entries: ReadonlyArray<OverridesEntry>
) {
  const memory = yield* makeReviewMemory(place)
  yield* memory.add("film", yield* saveChanges(place.manifest, [1], entries))
})

const step = Effect.fnUntraced(function* (place: ReturnType<typeof fresh>, direction: "undo" | "redo") {
  const memory = yield* makeReviewMemory(place)
  const change = memory.last("film", direction)
  if (change === undefined) return false
  yield* moveAcross(place.manifest, change, direction)
  yield* memory.step("film", direction)
  return true
})

/** Changes to a few cues; undefined takes a change back. */
const someChanges = fc.array(
  fc.record({
    cue: fc.integer({ min: 1, max: 4 }),
    say: fc.option(fc.constantFrom("Yes.", "No: never.", "# a 😀", "😁 again", "Now\u2028then"), {
      nil: undefined
    })
  }),
  { minLength: 1, maxLength: 8 }
)

describe("the memory of a review", () => {
  it.effect.prop(
    "undoes and redoes every change to the byte, though the review was restarted before each step",
    {
      changes: someChanges,
      comment: fc.constantFrom(undefined, "# mine\n", 'jobs:\n  film:\n    1: { say: "One." }\n')
    },
    ({ changes, comment }) =>
      Effect.gen(function* () {
        const place = fresh()
        if (comment !== undefined) writeFileSync(place.file, comment)
        const texts = [place.text()]
        for (const { cue, say } of changes) {
          yield* saved(place, cueEntries("film", { [cue]: say === undefined ? undefined : { say } }))
          texts.push(place.text())
        }
        for (const text of texts.slice(0, -1).reverse()) {
          expect(yield* step(place, "undo")).toBe(true)
          expect(place.text()).toBe(text)
        }
        expect(yield* step(place, "undo")).toBe(false)
        for (const text of texts.slice(1)) {
          expect(yield* step(place, "redo")).toBe(true)
          expect(place.text()).toBe(text)
        }
        rmSync(place.state, { recursive: true })
      }).pipe(Effect.provide(NodeContext.layer)),
    { fastCheck: { numRuns: 8 } }
  )

  it.effect("restores only its own entries if something else has changed the file", () =>
    Effect.gen(function* () {
      const place = fresh()
      yield* saved(place, cueEntries("film", { "1": { say: "One." } }))
      writeFileSync(place.file, `${place.text() ?? ""}    "2":\n      say: By hand.\n`)
      yield* step(place, "undo")
      expect(place.text()).toContain("By hand.")
      expect(place.text()).not.toContain("One.")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("lists each take of a cue once, and starts anew if its file cannot be read", () =>
    Effect.gen(function* () {
      const place = fresh()
      const take = { "2": { say: "Then.", provider: "provider_native", voice: "en-anna", speed: 1.1 } }
      const memory = yield* makeReviewMemory(place)
      yield* memory.hear("film", 2, take)
      yield* memory.hear("film", 2, take)
      yield* memory.hear("film", 2, { "2": { ...take["2"], voice: "en-bo" } })
      const again = yield* makeReviewMemory(place)
      expect(again.takesOf("film", 2)).toEqual([take, { "2": { ...take["2"], voice: "en-bo" } }])
      expect(again.takesOf("film", 3)).toEqual([])
      const elsewhere = yield* makeReviewMemory({ ...place, manifest: `${place.manifest}.json` })
      expect(elsewhere.takesOf("film", 2), "each manifest has its own").toEqual([])
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
