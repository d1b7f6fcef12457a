import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { GainSearch } from "../../../src/audio/level/GainSearch.ts"

/** Loudness gained per decibel, in LU, for each decibel above the level at which limiting begins. */
const arbitraryYields = fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), {
  minLength: 60,
  maxLength: 60
})

/** Returns the loudness of a sound of -30 LUFS raised by `level` decibels and limited from the first decibel on. */
const loudnessBy =
  (yields: ReadonlyArray<number>) =>
  (level: number): number => {
    const limited = yields.reduce((sum, one, at) => sum + one * Math.max(0, Math.min(1, level - at)), 0)
    return -30 + limited + Math.min(0, level) + Math.max(0, level - yields.length)
  }

/** Returns the levels tried until the loudness is met within 0.1 LU, at most 30. */
const tried = (loudness: number, came: (level: number) => number): ReadonlyArray<number> => {
  const search = new GainSearch(loudness, loudness + 30)
  const levels = [search.level]
  while (levels.length < 30 && !search.isFound(came(search.level))) levels.push(search.level)
  return levels
}

describe("the gain search", () => {
  it.prop(
    "finds the level in a few rounds, whatever the limiter takes away",
    [arbitraryYields, fc.double({ min: -28, max: -19, noNaN: true })],
    ([yields, loudness]) => {
      const came = loudnessBy(yields)
      const misses = tried(loudness, came).map((level) => Math.abs(loudness - came(level)))
      expect(misses.at(-1)).toBeLessThanOrEqual(0.1)
      expect(misses.length).toBeLessThanOrEqual(12)
      expect(Math.min(...misses.slice(0, 8))).toBeLessThanOrEqual(0.5)
    }
  )

  it("does not overshoot where the yield grows on the way", () => {
    const came = loudnessBy([...Array<number>(12).fill(0.2), ...Array<number>(48).fill(1)])
    const loudest = tried(-20, came).map(came)
    expect(Math.max(...loudest)).toBeLessThan(-18)
    expect(Math.abs((loudest.at(-1) ?? 0) - -20)).toBeLessThanOrEqual(0.1)
  })

  it("stops where the rest would be inaudible and would squash the peaks", () => {
    const came = loudnessBy([...Array<number>(20).fill(0.5), ...Array<number>(40).fill(0.05)])
    const left = tried(-19.7, came).map(came).at(-1) ?? 0
    expect([left > -20.2, left < -19.8]).toEqual([true, true])
  })

  it("never exceeds the highest level, even for an unreachable loudness", () => {
    const search = new GainSearch(-10, 5, 18)
    const levels = [search.level]
    while (!search.isFound(-16 + 0.2 * search.level)) levels.push(search.level)
    expect([levels.at(-1), levels.length]).toEqual([18, 3])
  })
})
