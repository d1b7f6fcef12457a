import { expect, test } from "vitest"
import { textTable } from "../../../src/app/terminal/TextTable.ts"

const paper = { colour: false, columns: undefined }

test("columns are as wide as their widest cell, numbers stand to the right", () => {
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

test("what a service answers cannot steer the terminal or break a row", () => {
  expect(textTable(["name"], [["a\u001b[2Jb\nc"]], paper)).toBe("name\na [2Jb c")
})

test("a table without rows is its heading", () => {
  expect(textTable(["id", "name"], [], paper)).toBe("id  name")
})

test("a table wider than the terminal goes on below itself, each part with the first column again", () => {
  const narrow = { colour: false, columns: 16 }
  expect(textTable(["job", "shift", "speed", "fit"], [["ep01", 1, 2, 3]], narrow)).toBe(
    ["job   shift", "ep01      1", "", "job   speed  fit", "ep01      2    3"].join("\n")
  )
  expect(textTable(["cue", "words"], [[1, "far too many words for it"]], narrow)).toBe(
    ["cue  words", "  1  far too ma…"].join("\n")
  )
})
