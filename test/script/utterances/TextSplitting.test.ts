import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { charactersOf } from "../../../src/domain/speech/Utterance.ts"
import { joinWords, jointsOf, splitText } from "../../../src/script/utterances/TextSplitting.ts"

const cut = (text: string, max: number, language?: string) =>
  Either.getOrThrow(splitText(text, max, language))

const token = fc.oneof(
  fc.constantFrom(
    "river",
    "Đà",
    "Nẵng",
    "naïve",
    "вода",
    "1,234.56",
    "10 000",
    "https://example.org/a?b=1,2;c",
    "anna@example.org",
    "well-known",
    "it's"
  ),
  fc.constantFrom(
    "今天天气很好我们去码头。",
    "วันนี้อากาศดีมากเราไปที่ท่าเรือ",
    "今日はとても天気がいいですね、",
    "👩‍👩‍👧‍👦",
    "e\u0301te\u0301"
  ),
  fc.constantFrom(".", "?", ",", ";", "—", "…")
)
const text = fc
  .array(fc.tuple(token, fc.constantFrom(" ", " ", "", "\n\n")), { minLength: 1, maxLength: 60 })
  .map((parts) =>
    parts
      .map(([word, space]) => word + space)
      .join("")
      .trim()
  )

describe("splitText", () => {
  it.prop(
    "loses nothing, keeps the limit, and splits no grapheme",
    [text, fc.integer({ min: 40, max: 200 })],
    ([whole, max]) => {
      const pieces = splitText(whole, max)
      if (Either.isLeft(pieces)) {
        expect(charactersOf(pieces.left)).toBeGreaterThan(max)
        return
      }
      expect(pieces.right.join("").replace(/\s/gu, "")).toBe(whole.replace(/\s/gu, ""))
      for (const piece of pieces.right) {
        expect(charactersOf(piece)).toBeLessThanOrEqual(max)
        expect(piece).toBe(piece.trim())
        expect(piece).not.toMatch(/^[\p{M}\u200d]/u)
      }
    }
  )

  it.prop("splits no number, address or word", [text, fc.integer({ min: 40, max: 120 })], ([whole, max]) => {
    const pieces = splitText(whole, max)
    if (Either.isLeft(pieces)) return
    const count = (word: RegExp, of: string) => of.match(word)?.length ?? 0
    // Two numbers without a space between them are another number: "10 0001,234.56" has no group of thousands.
    for (const word of [
      /(?<!\d)1,234\.56(?!\d)/gu,
      /(?<!\d)10 000(?!\d)/gu,
      /https:\/\/example\.org\/a\?b=1,2;c/gu,
      /anna@example\.org/gu,
      /well-known/gu
    ])
      expect(pieces.right.reduce((sum, piece) => sum + count(word, piece), 0)).toBe(count(word, whole))
  })

  it("prefers the end of a paragraph, then of a sentence, then of a clause", () => {
    const sentence = "One two three four, five six seven. "
    expect(cut(sentence.repeat(3), 80)).toEqual([`${sentence}${sentence}`.trim(), sentence.trim()])
    expect(cut("One two three four five, six seven eight nine", 30)).toEqual([
      "One two three four five,",
      "six seven eight nine"
    ])
    expect(cut("One two. Three four five.\n\nSix. Seven eight nine.", 30)).toEqual([
      "One two. Three four five.",
      "Six. Seven eight nine."
    ])
  })

  it("makes pieces of similar length", () => {
    const pieces = cut("word ".repeat(41).trim(), 100)
    expect(pieces.length).toBe(3)
    for (const piece of pieces) expect(piece.length).toBeGreaterThan(55)
  })

  it("splits Thai, Chinese and Japanese between words", () => {
    for (const [whole, language] of [
      ["วันนี้อากาศดีมากเราไปรอเพื่อนที่ท่าเรือกันเถอะแล้วค่อยกลับบ้านด้วยกัน", "th"],
      ["今天的天气非常好我们一起去码头等我们的老朋友然后再一起回家吃晚饭吧", "zh"],
      ["今日はとても天気がいいから一緒に渡し場で友だちを待ってそれから家に帰ろう", "ja"]
    ] as const) {
      const words = Array.from(
        new Intl.Segmenter(language, { granularity: "word" }).segment(whole),
        ({ index }) => index
      )
      let at = 0
      for (const piece of cut(whole, 14, language)) {
        expect(words).toContain(at)
        at += piece.length
      }
      expect(at).toBe(whole.length)
    }
  })

  it("reports a single word that is too long", () => {
    const address = `https://example.org/${"a".repeat(90)}`
    expect(splitText(`See ${address} now`, 50)).toEqual(Either.left(address))
  })
})

describe("jointsOf", () => {
  it("are never within a number, or after an opening quotation mark", () => {
    const at = (whole: string) => jointsOf(whole).map((joint) => [whole.slice(0, joint.at), joint.rank])
    expect(at("Mr. Ngo paid 10 000 đồng.")).toEqual([
      ["Mr. ", 0],
      ["Mr. Ngo ", 0],
      ["Mr. Ngo paid ", 0],
      ["Mr. Ngo paid 10 000 ", 0]
    ])
    expect(at("「今日」は3月。")).not.toContainEqual(["「", 0])
  })
})

describe("joinWords", () => {
  it("inserts a space if the script uses spaces", () => {
    expect(joinWords("one", "two")).toBe("one two")
    expect(joinWords("今天", "很好")).toBe("今天很好")
    expect(joinWords("한국", "사람")).toBe("한국 사람")
  })
})
