import { expect, test } from "vitest"
import { textTable } from "../../../src/app/terminal/TextTable.ts"

const paper = { colour: false, columns: undefined }

test("columns are as wide as their widest cell, numbers are right-aligned", () => {
  expect(
    textTable(
      ["voice", "n", "note"],
      [
        ["vi-huế", 7, "a"],
        ["漢", 1200, undefined]
      ],
      paper
    )
  ).toBe(["voice      n  note", "vi-huế     7  a", "漢      1200"].join("\n"))
})

test("headings may have several lines, and figures are right-aligned as numbers are", () => {
  expect(
    textTable(
      ["job", "ends\nlate"],
      [
        ["ep01", { figure: "1.2 s" }],
        ["ep02", undefined],
        ["ep03", { figure: "10.2 s" }]
      ],
      paper
    )
  ).toBe(["        ends", "job     late", "ep01   1.2 s", "ep02", "ep03  10.2 s"].join("\n"))
})

test("control characters in a service's answer cannot reach the terminal or break a row", () => {
  expect(textTable(["name"], [["a\u001b[2Jb\nc"]], paper)).toBe("name\na [2Jb c")
})

test("a table without rows has only its heading", () => {
  expect(textTable(["id", "name"], [], paper)).toBe("id  name")
})

test("a table wider than the terminal is split into parts that repeat the first column", () => {
  const narrow = { colour: false, columns: 16 }
  expect(textTable(["job", "shift", "speed", "fit"], [["ep01", 1, 2, 3]], narrow)).toBe(
    ["job   shift", "ep01      1", "", "job   speed  fit", "ep01      2    3"].join("\n")
  )
  expect(textTable(["cue", "words"], [[1, "far too many words for it"]], narrow)).toBe(
    ["cue  words", "  1  far too ma…"].join("\n")
  )
})
