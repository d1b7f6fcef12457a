import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { groupsOf, hashOf, mergedGroups } from "../../../src/script/utterances/StableGroups.ts"

const grains = (words: ReadonlyArray<string>) => words.map((said, i) => ({ said, size: said.length, i }))

const limits = { maxSize: 60, maxCount: 6, every: 4 }

describe("hashOf", () => {
  it("is uniformly distributed, also over similar texts", () => {
    const counts = [0, 0, 0, 0, 0]
    for (let i = 0; i < 5000; i++) {
      const at = hashOf(`line ${i}`) % 5
      counts[at] = (counts[at] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120)
  })
})

describe("groupsOf", () => {
  it.prop(
    "keeps all items in order and within the limits",
    [fc.array(fc.string({ minLength: 1, maxLength: 50 }))],
    ([words]) => {
      const groups = groupsOf(grains(words), limits)
      expect(groups.flat()).toEqual(grains(words))
      for (const group of groups) {
        expect(group.length).toBeLessThanOrEqual(limits.maxCount)
        expect(
          group.length === 1 || group.reduce((sum, grain) => sum + grain.size, 0) <= limits.maxSize
        ).toBe(true)
      }
    }
  )

  it.prop(
    "changes only the edited group, and the next one if the edit was at its end",
    [
      fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 5, maxLength: 80 }),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 20 })
    ],
    ([words, where, other]) => {
      const at = where % words.length
      const edited = words.map((word, i) => (i === at ? other : word))
      const texts = (list: ReadonlyArray<string>) =>
        groupsOf(grains(list), { maxSize: 1e6, maxCount: 1e6, every: 4 })
      const before = texts(words)
      const own = before.findIndex((group) => group.some((grain) => grain.i === at))
      const kept = before
        .filter((_, i) => i < own || i > own + 1)
        .map((group) => group.map((grain) => grain.said).join("\n"))
      const after = new Set(texts(edited).map((group) => group.map((grain) => grain.said).join("\n")))
      for (const group of kept) expect(after.has(group)).toBe(true)
    }
  )

  it("terminates if all items are equal", () => {
    expect(groupsOf(grains(new Array<string>(3000).fill("Yes.")), limits).flat()).toHaveLength(3000)
  })
})

describe("mergedGroups", () => {
  const enough = { minSize: 100, maxSize: 400, joint: 1 }

  it.prop(
    "keeps all items in order, below the maximum, and above the minimum where possible",
    [fc.array(fc.string({ minLength: 1, maxLength: 90 }), { minLength: 1, maxLength: 60 })],
    ([words]) => {
      const groups = mergedGroups(grains(words), enough)
      expect(groups.flat()).toEqual(grains(words))
      const sizes = groups.map((group) => group.reduce((sum, grain) => sum + grain.size, group.length - 1))
      sizes.forEach((size, i) => {
        expect(size).toBeLessThanOrEqual(enough.maxSize)
        if (size < enough.minSize)
          for (const beside of [sizes[i - 1], sizes[i + 1]])
            expect(beside === undefined || beside + size + 1 > enough.maxSize).toBe(true)
      })
    }
  )
})
