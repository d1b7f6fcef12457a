import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { endsSentence, splitSentences } from "../../../src/script/language/SentenceBoundaries.ts"

describe("splitSentences", () => {
  it("finds sentences in any script", () => {
    expect(splitSentences("It rained. We left! Why?")).toEqual(["It rained.", "We left!", "Why?"])
    expect(splitSentences("今天下雨。我们走吧！好吗？", "zh")).toEqual(["今天下雨。", "我们走吧！", "好吗？"])
    expect(splitSentences("यह सच है। चलो।", "hi")).toEqual(["यह सच है।", "चलो।"])
    expect(splitSentences("هل هذا صحيح؟ نعم.", "ar")).toEqual(["هل هذا صحيح؟", "نعم."])
  })

  it("does not split a sentence at a quotation or exclamation within it", () => {
    expect(splitSentences('"Who goes there?" asked the guard. "Me." He laughed.')).toEqual([
      '"Who goes there?" asked the guard.',
      '"Me."',
      "He laughed."
    ])
    expect(splitSentences("Oh! what a night. “No,” he said. So it went.")).toEqual([
      "Oh! what a night.",
      "“No,” he said.",
      "So it went."
    ])
  })

  it("does not split at abbreviations, initials and numbers", () => {
    expect(splitSentences("Dr. A. Ngo vs. the U.S. paid 3.5 million. Then he left.")).toEqual([
      "Dr. A. Ngo vs. the U.S. paid 3.5 million.",
      "Then he left."
    ])
  })

  it.prop(
    "keeps every character except white space, in order",
    [fc.fullUnicodeString({ maxLength: 80 })],
    ([text]) => {
      expect(splitSentences(text).join("").replace(/\s/gu, "")).toBe(text.replace(/\s/gu, ""))
    }
  )

  it("ignores an invalid language tag", () => {
    expect(splitSentences("One. Two.", "not a tag")).toEqual(["One.", "Two."])
  })
})

describe("endsSentence", () => {
  it("ignores closing signs", () => {
    for (const text of ["Yes.", 'He said "yes."', "Well…", "是吗？」", "Go!)", "Done.  "])
      expect(endsSentence(text), text).toBe(true)
    for (const text of ["Mr.", "and so", "one,", "J.", "etc.", ""])
      expect(endsSentence(text), text).toBe(false)
  })
})
