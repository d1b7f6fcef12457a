import { it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { expect } from "vitest"
import { allPages } from "../../../src/app/layers/Pagination.ts"

/** A paged list: numbers start at `base`, no number means the first page; `after` is the page after the last. */
const listing = (
  items: ReadonlyArray<string>,
  size: number,
  base: number,
  after: "empty" | "last" | "first"
) => {
  const pages = Math.max(1, Math.ceil(items.length / size))
  const asked: Array<number | undefined> = []
  const page = (number: number | undefined) =>
    Effect.sync(() => {
      asked.push(number)
      const wanted = number === undefined ? 0 : number - base
      const at =
        wanted < pages ? Math.max(0, wanted) : after === "last" ? pages - 1 : after === "first" ? 0 : wanted
      return items.slice(at * size, (at + 1) * size)
    })
  return { page, asked, pages }
}

const list = fc.uniqueArray(fc.string(), { maxLength: 30 })

it.effect.prop(
  "returns every item once, in order, for any page size, first number and end",
  [
    list,
    fc.integer({ min: 1, max: 7 }),
    fc.constantFrom(0, 1),
    fc.constantFrom(...(["empty", "last", "first"] as const))
  ],
  ([items, size, base, after]) =>
    Effect.gen(function* () {
      const { page, asked, pages } = listing(items, size, base, after)
      expect(yield* allPages(page, (item) => item, Number.POSITIVE_INFINITY)).toEqual(items)
      expect(asked.length).toBeLessThanOrEqual(pages + 2)
    })
)

it.effect("requests no more pages than needed", () =>
  Effect.gen(function* () {
    const { page, asked } = listing(["a", "b", "c", "d", "e"], 2, 1, "empty")
    expect(yield* allPages(page, (item) => item, 3)).toEqual(["a", "b", "c"])
    expect(asked).toEqual([undefined, 1, 2])
  })
)
