import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { test } from "vitest"
import { alignPhones } from "../../../src/engines/local/FliteThread.ts"

/** Phones of 10 ms each. */
const spoken = (phones: string) =>
  phones.split(" ").map((phone, index) => ({ phone, start: index * 10, end: (index + 1) * 10 }))
const listed = (words: string) =>
  words.split(", ").map((word) => word.split(" ").filter((phone) => phone !== ""))

test("assigns matching phones to their words, and pauses to none", () => {
  expect(alignPhones(spoken("pau hh ax l ow pau dh eh r pau"), listed("hh ax l ow, dh eh r"))).toEqual([
    { start: 10, end: 50 },
    { start: 60, end: 90 }
  ])
})

test("phones that change within a sentence stay with their word", () => {
  expect(
    alignPhones(spoken("pau dh iy ae p ax l ax k ae t"), listed("dh ax, ae p ax l, ey, k ae t"))
  ).toEqual([
    { start: 10, end: 30 },
    { start: 30, end: 70 },
    { start: 70, end: 80 },
    { start: 80, end: 110 }
  ])
})

test("a word without phones has no time; a word pronounced differently keeps its place", () => {
  expect(alignPhones(spoken("d aa k t er s m ih th"), listed("d r ay v, s m ih th"))).toEqual([
    { start: 0, end: 50 },
    { start: 50, end: 90 }
  ])
  expect(alignPhones(spoken("k ae t"), listed("k ae t, "))).toEqual([{ start: 0, end: 30 }, null])
})

const phone = FastCheck.constantFrom("aa", "iy", "k", "t", "s", "n", "pau")
it.prop(
  "spans are sorted and never overlap",
  [
    FastCheck.array(phone, { minLength: 1, maxLength: 20 }),
    FastCheck.array(FastCheck.array(phone, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })
  ],
  ([heard, words]) => {
    const spans = alignPhones(spoken(heard.join(" ")), words).filter((span) => span !== null)
    for (const [index, span] of spans.entries()) {
      expect(span.start).toBeLessThan(span.end)
      expect(span.start).toBeGreaterThanOrEqual(spans[index - 1]?.end ?? 0)
    }
  }
)
