import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { escapeControls, unstyled } from "../../../src/app/terminal/ControlCharacters.ts"

/** Texts with escape sequences: titles, cursor moves, hyperlinks, clipboard writes, and half ones. */
const sequences = [
  "\u001b]0;title\u0007",
  "\u001b[2J",
  "\u001b[A",
  "\u001b]52;c;cm0gLXJmIH4=\u0007",
  "\u001b]8;;http://x\u001b\\",
  "\u009b2J",
  "\u001bP0;1|17/ab\u001b\\",
  "\u001b[",
  "\u001b",
  "\r",
  "\b",
  "\u007f",
  "\u001b[31m"
]
const text = FastCheck.array(FastCheck.oneof(FastCheck.constantFrom(...sequences), FastCheck.string()), {
  maxLength: 8
}).map((parts) => parts.join(""))

const harmless = /^(?:\u001b\[[0-9;]*m|\r\n|[\n\t]|\P{Cc})*$/u

it("leaves no control character but colours and line breaks", () => {
  FastCheck.assert(
    FastCheck.property(text, (whole) => {
      expect(escapeControls(whole)).toMatch(harmless)
      expect(unstyled(whole)).toMatch(/^(?:\r\n|[\n\t]|\P{Cc})*$/u)
    })
  )
})

it("changes JSON only in its text, not in its value", () => {
  FastCheck.assert(
    FastCheck.property(text, (value) => {
      expect(JSON.parse(escapeControls(JSON.stringify({ value }, null, 2)))).toEqual({ value })
    })
  )
})

it("writes escaped characters as \\u and their code", () => {
  expect(escapeControls("\u001b]0;pwned\u0007 \u001b[1mbold\u001b[0m\ta\r\nb\rc")).toBe(
    "\\u001b]0;pwned\\u0007 \u001b[1mbold\u001b[0m\ta\r\nb\\u000dc"
  )
})

it("leaves no colour that only forms when a sequence inside it is removed", () => {
  expect(unstyled("\u001b[\u001b]0;title\u0007m \u001b[1mbold\u001b[0m")).toBe("\\u001b[m bold")
})
