import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { GainSearch } from "../../../src/audio/level/GainSearch.ts"

/** What the limiter leaves of each decibel more, decibel by decibel above a level at which nothing is limited; LU. */
const arbitraryYields = fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), {
  minLength: 60,
  maxLength: 60
})

/** How loud a sound of -30 LUFS comes out that much louder, limited from the first decibel on. */
const loudnessBy =
  (yields: ReadonlyArray<number>) =>
  (level: number): number => {
    const limited = yields.reduce((sum, one, at) => sum + one * Math.max(0, Math.min(1, level - at)), 0)
    return -30 + limited + Math.min(0, level) + Math.max(0, level - yields.length)
  }

/** Levels that are tried until the loudness is met within a tenth. */
const tried = (loudness: number, came: (level: number) => number): ReadonlyArray<number> => {
  const search = new GainSearch(loudness, loudness + 30)
  const levels = [search.level]
  while (levels.length < 30 && !search.isFound(came(search.level))) levels.push(search.level)
  return levels
}

describe("a search for the level of a loudness", () => {
  it.prop(
    "finds it in a few rounds, whatever the limiter takes away on the way",
    [arbitraryYields, fc.double({ min: -28, max: -19, noNaN: true })],
    ([yields, loudness]) => {
      const came = loudnessBy(yields)
      const levels = tried(loudness, came)
      expect(Math.abs(loudness - came(levels.at(-1) ?? 0))).toBeLessThanOrEqual(0.1)
      expect(levels.length).toBeLessThanOrEqual(8)
    }
  )

  it("does not run past it where the yield grows on the way", () => {
    const came = loudnessBy([...Array<number>(12).fill(0.2), ...Array<number>(48).fill(1)])
    const loudest = tried(-20, came).map(came)
    expect(Math.max(...loudest)).toBeLessThan(-18)
    expect(Math.abs((loudest.at(-1) ?? 0) - -20)).toBeLessThanOrEqual(0.1)
  })

  it("leaves it where the rest could not be heard and would cost the peaks everything", () => {
    const came = loudnessBy([...Array<number>(20).fill(0.5), ...Array<number>(40).fill(0.05)])
    const left = tried(-19.7, came).map(came).at(-1) ?? 0
    expect([left > -20.2, left < -19.8]).toEqual([true, true])
  })

  it("goes no higher than it may, for a loudness that is not to be had", () => {
    const search = new GainSearch(-10, 5, 18)
    const levels = [search.level]
    while (!search.isFound(-16 + 0.2 * search.level)) levels.push(search.level)
    expect([levels.at(-1), levels.length]).toEqual([18, 3])
  })
})
