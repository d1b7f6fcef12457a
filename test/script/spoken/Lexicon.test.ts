import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import type { LexiconEntry } from "../../../src/domain/manifest/ScriptSettings.ts"
import { emptyLexicon, lexiconOf, sayBy } from "../../../src/script/spoken/Lexicon.ts"

const say = (entries: ReadonlyArray<LexiconEntry>, text: string): string =>
  sayBy(Either.getOrThrow(lexiconOf(entries)), text)

describe("the lexicon", () => {
  it("replaces whole words only, in any script", () => {
    expect(say([{ word: "gif", say: "jif" }], "A gif, GIF and Gifs in gift")).toBe(
      "A jif, jif and Gifs in gift"
    )
    expect(say([{ word: "US", say: "U S" }], "US or us in USA")).toBe("U S or us in USA")
    expect(say([{ word: "đi", say: "đi đi" }], "đi đình điện, Đi")).toBe("đi đi đình điện, đi đi")
    expect(say([{ word: "王", say: "汪" }], "小王和王朋")).toBe("小汪和汪朋")
    expect(say([{ word: "New  York", say: "NYC" }], "In New York now")).toBe("In NYC now")
    expect(say([{ word: "C++", say: "C plus plus" }], "In C++, C")).toBe("In C plus plus, C")
    expect(say([{ word: "été", say: "x" }], "e\u0301te\u0301".normalize("NFC"))).toBe("x")
  })

  it.prop(
    "replaces any word, whatever its characters",
    [fc.oneof(fc.fullUnicodeString({ minLength: 1 }), fc.constantFrom("well-known", "-", "a/b", "[x]{2}"))],
    ([word]) => {
      const text = word.normalize("NFC").trim()
      fc.pre(text !== "")
      expect(say([{ word, say: "said" }], text)).toBe("said")
    }
  )

  it("supports patterns with groups", () => {
    expect(say([{ pattern: "(\\d+)\\s*°C", say: "$1 degrees" }], "5 °C and 6°C")).toBe(
      "5 degrees and 6 degrees"
    )
    expect(say([{ pattern: "(?<n>\\d+)x", say: "$<n> times, $$" }], "3x")).toBe("3 times, $")
    expect(say([{ word: "price", say: "$1" }], "price")).toBe("$1")
  })

  it("applies earlier entries first, and replaces nothing twice", () => {
    expect(
      say(
        [
          { word: "a b", say: "b" },
          { word: "b", say: "c" }
        ],
        "a b and b"
      )
    ).toBe("b and c")
  })

  it.prop("changes nothing without entries", [fc.fullUnicodeString()], ([text]) => {
    expect(sayBy(emptyLexicon, text)).toBe(text)
  })

  it("reports every invalid entry", () => {
    expect(
      Either.flip(
        lexiconOf([
          { word: "fine", say: "" },
          { say: "x" },
          { word: "a", pattern: "b", say: "x" },
          { pattern: "(", say: "x" },
          { word: " ", say: "x" }
        ])
      ).pipe(Either.getOrThrow)
    ).toEqual([
      { entry: 1, why: "has neither word nor pattern; give one of them" },
      { entry: 2, why: "has both word and pattern; give only one of them" },
      { entry: 3, why: expect.stringContaining("has an invalid regular expression as its pattern") },
      { entry: 4, why: "has an empty word; set the word to replace" }
    ])
  })
})
