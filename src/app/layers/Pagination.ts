/** Reads all pages of a list whose page size, first page number and last page are unknown. */
import { Effect } from "effect"

/** Safety limit on the number of pages. */
const maxPages = 10_000

/**
 * Returns the items of all pages in order, each once, at most `most`. Requests the first page without a number, then 1,
 * 2 and so on, until a page has no new items. Page 1 may repeat the first page, since a service may count from 0 or 1.
 */
export const allPages = <Item, E, R>(
  page: (number: number | undefined) => Effect.Effect<ReadonlyArray<Item>, E, R>,
  idOf: (item: Item) => string,
  most: number
): Effect.Effect<ReadonlyArray<Item>, E, R> =>
  Effect.gen(function* () {
    const seen = new Map<string, Item>()
    for (let number = 0; number <= maxPages && seen.size < most; number++) {
      const before = seen.size
      for (const item of yield* page(number === 0 ? undefined : number)) seen.set(idOf(item), item)
      if (seen.size === before && number !== 1) break
    }
    return [...seen.values()].slice(0, most)
  })
