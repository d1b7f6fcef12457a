import { expect, test } from "vitest"
import { splitTone, toneAmong } from "../../../src/domain/values/Tone.ts"

test.each([
  ["[whispers] Quick!", { tone: "whispers", text: "Quick!" }],
  ["[very sad]\nGone.", { tone: "very sad", text: "Gone." }],
  ["[nói thầm]  Đi.", { tone: "nói thầm", text: "Đi." }],
  ["Quick! [whispers]", { text: "Quick! [whispers]" }],
  ["[whispers]", { text: "[whispers]" }],
  ["[a; b] Quick!", { text: "[a; b] Quick!" }],
  ["[[x]] Quick!", { text: "[[x]] Quick!" }]
])("splits %j", (text, parts) => expect(splitTone(text)).toEqual(parts))

test.each([
  ["whispers", "whispering"],
  ["whisper", "whispering"],
  ["very sad", "sad"],
  ["Angrily", "angry"],
  ["cheerfully", "cheerful"],
  ["customer", undefined],
  ["roars", undefined],
  [undefined, undefined]
])("finds the tone that %j means", (tone, found) =>
  expect(toneAmong(tone, ["cheerful", "angry", "sad", "whispering", "customerservice"])).toBe(found)
)
