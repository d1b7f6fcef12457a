/** Walking through a list that a service hands out in pages of unknown size, base and end. */
import { Effect } from "effect"

/** More pages than any list should have. */
const mostPages = 10_000

/**
 * Items of all pages in their order, each once, at most `most`: the first page by no number, then 1, 2 and so on, until
 * one is empty or repeats what was seen. Page 1 may repeat the first, since a service may count from 0 or from 1.
 */
export const allPages = <Item, E, R>(
  page: (number: number | undefined) => Effect.Effect<ReadonlyArray<Item>, E, R>,
  idOf: (item: Item) => string,
  most: number
): Effect.Effect<ReadonlyArray<Item>, E, R> =>
  Effect.gen(function* () {
    const seen = new Map<string, Item>()
    for (let number = 0; number <= mostPages && seen.size < most; number++) {
      const before = seen.size
      for (const item of yield* page(number === 0 ? undefined : number)) seen.set(idOf(item), item)
      if (seen.size === before && number !== 1) break
    }
    return [...seen.values()].slice(0, most)
  })
