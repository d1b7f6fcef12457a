import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { keptLogs, longLog, openLog } from "../../../src/app/terminal/LogFile.ts"
import { emptyFolder } from "../process.ts"

describe("the log", () => {
  it("appends lines with timestamps and without colours, and creates its folder", () => {
    const file = join(emptyFolder(), "logs", "night.log")
    for (const words of ["one", "\u001b[31mtwo\u001b[0m"]) Either.getOrThrow(openLog(file))(words)
    expect(readFileSync(file, "utf8")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}one\n\S+ \S+ {2}two\n$/u)
  })

  it("is rotated when too large, and the oldest is deleted", () => {
    const folder = emptyFolder()
    const file = join(folder, "night.log")
    for (let run = 0; run <= keptLogs + 1; run++) {
      writeFileSync(file, `${run} `.padEnd(longLog + 1))
      Either.getOrThrow(openLog(file))("new")
    }
    expect(readdirSync(folder).sort()).toEqual(["night.log", ...[1, 2, 3, 4, 5].map((n) => `night.log.${n}`)])
    expect(readFileSync(`${file}.5`, "utf8")).toMatch(/^2 /u)
    expect(readFileSync(file, "utf8")).toMatch(/^\S+ \S+ {2}new\n$/u)
  })

  it("that cannot be written is an error naming --log", () => {
    for (const file of [emptyFolder(), "/proc/none/night.log", "/proc/none/logs/night.log"])
      expect(Either.getLeft(openLog(file))).toMatchObject({
        value: { code: 2, message: expect.stringContaining(`--log ${file}: cannot be written`) }
      })
  })
})
