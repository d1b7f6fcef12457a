/**
 * Test suites of other projects: TTML, IMSC, DAPT, EBU STL, SCC and others. Every file is read, or rejected with its
 * reason; also with a part cut out.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { endingOf } from "../../../../src/script/formats/UnreadFormats.ts"
import { readScript } from "../../../../src/script/ScriptFile.ts"

const root = join(import.meta.dirname, "../../../../../shared/corpus/formats")
const files = existsSync(root)
  ? readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((file) => join(root, file))
      .filter((file) => statSync(file).isFile() && !file.includes("SOURCES") && !file.endsWith("README.md"))
      .sort()
  : []

/** Files that a reader of speech rejects: fragments, images, empty bodies, schemas, text without times. */
const rejected: Readonly<Record<string, number>> = { ttml: 7, xml: 8, xsd: 22, sbv: 1 }

describe.skipIf(files.length === 0)("foreign suites", () => {
  it("are read, but for files without speech", () => {
    const counts: Record<string, number> = {}
    for (const file of files)
      if (Either.isLeft(readScript(readFileSync(file), basename(file)))) {
        const ending = endingOf(file)
        counts[ending] = (counts[ending] ?? 0) + 1
      }
    expect(counts).toEqual(rejected)
  })

  it("are read or rejected when a part is missing", () => {
    for (const [place, file] of files.entries()) {
      const bytes = readFileSync(file)
      const from = (place * 7919) % Math.max(1, bytes.length)
      const cut = Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + (place % 90))])
      const found = readScript(cut, basename(file))
      if (Either.isLeft(found)) expect(found.left.message).toContain(basename(file))
    }
  })
})
