import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { readLineList } from "../../../src/pipeline/lists/LineListFile.ts"
import { guardedCell, lineTable, unguardedCell } from "../../../src/pipeline/lists/LineTable.ts"
import { officeParts } from "../../../src/script/formats/tables/OfficeZip.ts"
import { sheetsOf } from "../../../src/script/formats/tables/Xlsx.ts"
import { lineWorkbook } from "../../../src/pipeline/lists/LineTable.ts"

const row = {
  job: "film",
  cue: "12",
  part: "2",
  speaker: "ANNA",
  start: "0:00:01.000",
  end: "0:00:02.000",
  lose: "4",
  limit: "20",
  before: "Hello.",
  source: '=HYPERLINK("x"), \n"quite"',
  text: "-1+1; @home, isn’t it",
  "new text": "+49, thật",
  proposal: "+49",
  after: "",
  picture: "out/film/report.html#cue-12"
}

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (content: Uint8Array) => Effect.runPromise(readLineList(content, "lines.csv"))

const reason = (content: Uint8Array) =>
  Effect.runPromise(Effect.map(Effect.flip(readLineList(content, "lines.csv")), ({ message }) => message))

describe("lists of lines", () => {
  it("guards every text that a spreadsheet would run, and gives it back unchanged", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^['=+\-@\t]{1,3}.*$/u)), (text) => {
        const cell = guardedCell(text)
        expect(cell).not.toMatch(/^[=+\-@\t\r]/u)
        expect(unguardedCell(cell)).toBe(text)
      })
    )
  })

  it("gives the texts back from CSV, and from a workbook", async () => {
    const { source, text, job, cue, part } = row
    const expected = [{ row: 2, job, cue, part, source, text, "new text": row["new text"] }]
    expect(await read(bytes(lineTable([row])))).toEqual(expected)
    expect(await read(await Effect.runPromise(lineWorkbook([row])))).toEqual(expected)
  })

  it("writes text cells of a workbook as text, never as formulas", async () => {
    const [rows] = sheetsOf(officeParts(await Effect.runPromise(lineWorkbook([row]))).parts)
    expect(rows?.[1]?.cells.slice(9, 12)).toEqual([row.source, row.text, row["new text"]])
  })

  it("reads semicolons, tabs, a separator line, moved and added columns, and no byte order mark", async () => {
    const short = [
      ["new text", "job", "mine", "cue", "part", "source", "text"],
      ["Neu", "a", "!", "1", "1", "S", "T"]
    ]
    const expected = { job: "a", cue: "1", part: "1", source: "S", text: "T", "new text": "Neu" }
    for (const separator of [",", ";", "\t"]) {
      const table = short.map((cells) => cells.join(separator)).join("\r\n")
      expect(await read(bytes(table))).toEqual([{ row: 2, ...expected }])
      expect(
        await read(bytes(`\ufeffsep=${separator}\r\n${table}\r\n${separator}${separator}\r\n`))
      ).toMatchObject([{ row: 3, ...expected }])
    }
    expect(
      await read(Buffer.from(`\ufeff${short.map((cells) => cells.join("\t")).join("\r\n")}`, "utf16le"))
    ).toEqual([{ row: 2, ...expected }])
  })

  it("reports what is wrong with a file that is not a list", async () => {
    expect(await reason(bytes("job,cue,part,text\na,1,1,x"))).toBe(
      'lines.csv:1: column "source", "new text" is missing; keep the first row as export-lines wrote it'
    )
    expect(await reason(bytes('job,cue\na,"1'))).toBe(
      "lines.csv:2: expected a quoted field to end with a quote and a separator"
    )
    expect(await reason(bytes("PK\u0003\u0004 not a workbook"))).toMatch(
      /^lines\.csv: cannot be read as a workbook \(.+\); save it again as XLSX or CSV$/u
    )
    expect(await reason(new Uint8Array())).toMatch(/^lines\.csv/u)
  })
})
