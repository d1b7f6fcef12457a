import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe, test } from "vitest"
import { normalizeText } from "../../../src/engines/text/TextNormalization.ts"

const read = (text: string, language: string): string =>
  normalizeText(text, language)
    .map(({ gap, spoken }) => (gap === "" || spoken === "" ? spoken : ` ${spoken}`))
    .join("")
    .trim()

describe("English", () => {
  test.each([
    ["Mr. Smith met Dr. No.", "Mister Smith met Doctor No."],
    ["He lives on Elm St. Louis.", "He lives on Elm Street Louis."],
    ["St. Paul vs. the rest, etc.", "Saint Paul versus the rest, et cetera."],
    ["on 2024-05-06, pages 5-10", "on May 6, 2024, pages 5 to 10"],
    ["wait—what, it--no", "wait, what, it, no"],
    ["3 < 5 & 6 > 2", "3 less than 5 & 6 greater than 2"],
    [
      "Pears etc. were eaten, figs etc. Then we left.",
      "Pears et cetera were eaten, figs et cetera. Then we left."
    ],
    ["No. 5 says no.", "Number 5 says no."],
    ["call 12345678901234", "call 1 2 3 4 5 6 7 8 9 0 1 2 3 4"],
    ["it's 25 degrees, 50% of $5.50", "it's 25 degrees, 50% of $5.50"]
  ])("%s", (written, said) => {
    expect(read(written, "en")).toBe(said)
  })
})

describe("any language", () => {
  test.each([
    ["Dr. Müller hat 25 Äpfel.", "de", "Dr. Müller hat 25 Äpfel."],
    ["🙂 Hola 🎉 amigo ♪", "es", "Hola amigo"],
    ["uno – dos … tres", "it", "uno, dos, tres"],
    ["co\u00adoperate zero\u200bwidth", "fr", "cooperate zerowidth"],
    ["« Quoi ? » dit-il : rien !", "fr", "Quoi? dit-il, rien!"],
    ["1️⃣ 👍🏽 🇻🇳", "pt", "1"]
  ])("%s", (written, language, said) => {
    expect(read(written, language)).toBe(said)
  })
})

test("scripts without spaces are split into words, with punctuation attached to the word before", () => {
  expect(normalizeText("你好，世界！ Hi", "zh")).toEqual([
    { gap: "", original: "你好，", spoken: "你好，" },
    { gap: "", original: "世界！", spoken: "世界！" },
    { gap: " ", original: "Hi", spoken: "Hi" }
  ])
})

it.prop(
  "no written text is lost, and spoken forms are words with single spaces",
  [
    FastCheck.string({ unit: "grapheme", maxLength: 80 }),
    FastCheck.constantFrom("en", "vi", "zh", "ar", "th", "xx-bad-", "")
  ],
  ([text, language]) => {
    const tokens = normalizeText(text, language)
    expect(tokens.map(({ gap, original }) => gap + original).join("")).toBe(text.trimEnd())
    for (const { spoken } of tokens) expect(spoken).toMatch(/^(?:\S+(?: \S+)*)?$/u)
  }
)

test("hostile text takes time linear in its length", () => {
  const patterns = [
    "-",
    ".",
    " ",
    "9",
    "1 000 ",
    "a-",
    '."',
    "0912 ",
    "(",
    "a.",
    "🙂",
    "1-",
    "$1",
    "https://"
  ]
  for (const pattern of patterns) {
    const text = `a${pattern.repeat(50_000)}a`
    for (const language of ["vi", "en"]) expect(normalizeText(text, language).length).toBeGreaterThan(0)
  }
})
