import { readFileSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { tablesPage } from "./TablesPage.ts"

const page = "docs/tables.md"

test("docs/tables.md matches the sources; DUBWRIGHT_TABLES=write writes it", () => {
  if (process.env["DUBWRIGHT_TABLES"] === "write") writeFileSync(page, tablesPage())
  expect(readFileSync(page, "utf8")).toBe(tablesPage())
})
