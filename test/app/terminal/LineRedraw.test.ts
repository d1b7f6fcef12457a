import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import stringWidth from "string-width"
import { describe, expect, test } from "vitest"
import { eraseLines, fitToWidth, linesTaken } from "../../../src/app/terminal/LineRedraw.ts"

const red = (text: string) => `\u001b[31m${text}\u001b[0m`
const text = fc
  .array(fc.constantFrom("a", "ế", "漢", "👩‍🚀", " ", red("đỏ"), "é"), { maxLength: 40 })
  .map((parts) => parts.join(""))

describe("fitted", () => {
  it.prop("is never wider than the terminal", [text, fc.integer({ min: 1, max: 60 })], ([row, columns]) => {
    expect(stringWidth(fitToWidth(row, columns))).toBeLessThanOrEqual(columns)
  })

  it.prop("keeps a row that fits", [text], ([row]) => {
    expect(fitToWidth(row, stringWidth(row))).toBe(row)
  })

  test("cuts with an ellipsis and resets the colour", () => {
    expect(fitToWidth("abcdef", 4)).toBe("abc…")
    expect(fitToWidth(red("abcdef"), 4)).toBe("\u001b[31mabc…\u001b[0m")
    expect(fitToWidth(`${red("ab")}cdef`, 4)).toBe(`${red("ab")}c…\u001b[0m`)
  })

  test("does not split a wide character", () => {
    expect(fitToWidth("漢字漢字", 4)).toBe("漢…")
  })
})

describe("erasing", () => {
  /** Erases line by line: clearing the screen may fill a terminal's scrollback. */
  const cleared = (lines: number) => `\r\u001b[2K${"\u001b[A\u001b[2K".repeat(lines)}`

  test("erases nothing if nothing was drawn", () => {
    expect(eraseLines([], 80)).toBe("")
  })

  test("moves up by the lines that the rows take", () => {
    expect(eraseLines(["one", "two"], 80)).toBe(cleared(2))
  })

  test("counts the lines of a row wrapped by a narrower terminal", () => {
    expect(linesTaken("x".repeat(100), 40)).toBe(3)
    expect(eraseLines(["x".repeat(100), "y"], 40)).toBe(cleared(4))
  })
})
