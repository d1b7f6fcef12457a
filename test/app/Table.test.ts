import { expect, test } from "vitest"
import { table } from "../../src/app/Table.ts"

test("columns are as wide as their widest cell, numbers stand to the right", () => {
  expect(
    table(
      ["voice", "n", "note"],
      [
        ["vi-huế", 7, "a"],
        ["漢", 1200, undefined]
      ],
      false
    )
  ).toBe(["voice      n  note", "vi-huế     7  a", "漢      1200"].join("\n"))
})

test("what a service answers cannot steer the terminal or break a row", () => {
  expect(table(["name"], [["a\u001b[2Jb\nc"]], false)).toBe("name\na [2Jb c")
})

test("a table without rows is its heading", () => {
  expect(table(["id", "name"], [], false)).toBe("id  name")
})
