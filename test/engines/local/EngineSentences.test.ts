import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { test } from "vitest"
import { normalizeText } from "../../../src/engines/text/TextNormalization.ts"
import { engineSentences } from "../../../src/engines/local/EngineSentences.ts"

const texts = (text: string, language = "en"): ReadonlyArray<string> =>
  engineSentences(normalizeText(text, language), 400).map((sentence) => sentence.text)

test("sentences end at final marks, but not after abbreviations or initials, or before lower case", () => {
  expect(
    texts('Mr. Smith left. "Where to?" she asked. J. R. R. Tolkien... and so on! No. 5 is alive.')
  ).toEqual([
    "Mr. Smith left.",
    '"Where to?"',
    "she asked.",
    "J. R. R. Tolkien... and so on!",
    "No. 5 is alive."
  ])
})

test("an empty line ends a sentence, a line break does not", () => {
  expect(texts("A heading\n\nOne line\nand another")).toEqual(["A heading", "One line and another"])
})

test("splits Vietnamese, French and Chinese", () => {
  expect(texts("TP. Hồ Chí Minh rất đẹp. Anh Q. ở đâu?", "vi")).toEqual([
    "TP. Hồ Chí Minh rất đẹp.",
    "Anh Q. ở đâu?"
  ])
  expect(texts("Quoi ? Rien !", "fr")).toEqual(["Quoi ?", "Rien !"])
  expect(texts("你好。世界！", "zh")).toEqual(["你好。", "世界！"])
})

test("text with nothing to say gives no sentence", () => {
  expect(texts("... — 🙂")).toEqual([])
})

test("a long sentence is split after a comma in its second half, else between words, else inside a word", () => {
  const parts = (text: string) =>
    engineSentences(normalizeText(text, "en"), 20).flatMap((sentence) =>
      sentence.parts.map(({ pieces, ends }) => [pieces.map((piece) => piece.text).join(" "), ends])
    )
  expect(parts("one two three, four five six")).toEqual([
    ["one two three,", "clause"],
    ["four five six", "sentence"]
  ])
  expect(parts("one two three four five six")).toEqual([
    ["one two three four", "word"],
    ["five six", "sentence"]
  ])
  expect(parts(`${"a".repeat(85)} b`)).toEqual([
    ["a".repeat(40), "word"],
    ["a".repeat(40), "word"],
    ["aaaaa b", "sentence"]
  ])
})

it.prop(
  "every spoken word is passed once, in the text's order, in parts within the limit",
  [FastCheck.string({ unit: "grapheme", maxLength: 200 }), FastCheck.integer({ min: 200, max: 400 })],
  ([text, longest]) => {
    const tokens = normalizeText(text, "en")
    const parts = engineSentences(tokens, longest).flatMap((sentence) => sentence.parts)
    const passed = parts.flatMap(({ pieces }) => pieces.map((piece) => piece.text)).join("")
    expect(passed).toBe(tokens.map(({ spoken }) => spoken.replaceAll(" ", "")).join(""))
    for (const { pieces } of parts) {
      expect(Buffer.byteLength(pieces.map((piece) => piece.text).join(" "))).toBeLessThanOrEqual(longest)
    }
  }
)
