import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { test } from "vitest"
import { espeakText, spansOf } from "../../../src/engines/local/EspeakText.ts"

const piece = (text: string) => ({ text, english: false })

test("starts count code points from 1", () => {
  expect(espeakText([piece("Hi"), piece("𝒳y"), piece("世"), piece("z")], new Map(), "en")).toEqual({
    text: "Hi 𝒳y 世 z",
    starts: [1, 4, 7, 9]
  })
})

test("a repeated single letter is split into groups of three", () => {
  const letters = Array.from("wwwwwwwxx", (letter) => piece(letter))
  expect(espeakText(letters, new Map(), "en").text).toBe("w w w, w w w, w x x")
})

test("neutralizes markup, phonemes, entities and control codes", () => {
  const words = ["<break", "time='9s'/>", "[[h@'loU]]", "AT&T", "&lt;b", "\u000180S"]
  expect(
    espeakText(
      words.map((word) => piece(word)),
      new Map(),
      "en"
    ).text
  ).toBe(" break time='9s'/  ((h@'loU)) AT& T & lt;b  80S")
})

it.prop(
  "no tag, entity or phoneme mark is left in any text",
  [FastCheck.string({ minLength: 1 })],
  ([text]) => {
    expect(espeakText([piece(text)], new Map(), "en").text).not.toMatch(/[<>[\]{}\p{Cc}]|&\S/u)
  }
)

test("writes English words as phonemes, with their own punctuation", () => {
  const google = { text: "Google,", english: true }
  expect(espeakText([piece("Dùng"), google, piece("nhé")], new Map([[google, "g_'u:_g_@L"]]), "vi")).toEqual({
    text: "Dùng [[_^_en g|'u:|g|@L _^_vi]], nhé",
    starts: [1, 6, 34]
  })
  const quoted = { text: "(“OK”)!", english: true }
  expect(espeakText([quoted], new Map([[quoted, "oU_k_'eI"]]), "vi-hue").text).toBe(
    "(“[[_^_en oU|k|'eI _^_vi-hue]]”)!"
  )
  expect(espeakText([quoted], new Map([[quoted, "_^_FR"]]), "vi").text).toBe("(“OK”)!")
  expect(espeakText([quoted], new Map([[quoted, ""]]), "vi").text).toBe("(“OK”)!")
})

const at = (type: string, text_position: number, audio_position: number, id?: string) => ({
  type,
  text_position,
  audio_position,
  ...(id === undefined ? {} : { id })
})

test("a piece's time is from its first word event to the end of its last sound", () => {
  const events = [
    at("sentence", 1, 0),
    at("word", 1, 0),
    at("phoneme", 1, 11, "h"),
    at("phoneme", 1, 60, "i"),
    at("phoneme", 3, 90, ""),
    at("phoneme", 3, 390, ""),
    at("end", 3, 390),
    // Two word events for one number.
    at("word", 4, 390),
    at("phoneme", 4, 400, "t"),
    at("word", 5, 450),
    at("phoneme", 5, 460, "f"),
    at("end", 6, 520)
  ]
  expect(spansOf(events, [1, 4, 7])).toEqual([{ start: 0, end: 90 }, { start: 390, end: 520 }, null])
})

test("a pause before a piece's first sound is not part of it", () => {
  const events = [at("word", 1, 0), at("phoneme", 1, 0, ""), at("phoneme", 1, 40, "b"), at("end", 2, 100)]
  expect(spansOf(events, [1])).toEqual([{ start: 0, end: 100 }])
})

test("sounds before the first word event are the first piece's", () => {
  const events = [
    at("phoneme", 1, 5, "n"),
    at("phoneme", 1, 60, "ɐ"),
    at("word", 4, 90),
    at("phoneme", 4, 95, "m"),
    at("end", 6, 150)
  ]
  expect(spansOf(events, [1, 4])).toEqual([
    { start: 0, end: 90 },
    { start: 90, end: 150 }
  ])
})
