/** Reads a list of lines that comes back from a translator: CSV or XLSX, as spreadsheets save it. */
import { Effect, Either } from "effect"
import { isNonEmptyArray } from "effect/Array"
import { csvRecords } from "../../script/bytes/CsvRecords.ts"
import { decodeText } from "../../script/bytes/TextDecoding.ts"
import { isZip, officeParts } from "../../script/formats/tables/OfficeZip.ts"
import { sheetsOf } from "../../script/formats/tables/Xlsx.ts"
import { rejectInput, rejectInputs } from "../load/InputRejected.ts"
import { unguardedCell } from "./LineTable.ts"

/** The columns that are read back. Others may be missing, moved or added. */
const columns = ["job", "cue", "part", "source", "text", "new text"] as const

/** A row of the list. */
export interface ListedLine extends Readonly<Record<(typeof columns)[number], string>> {
  /** Its row in the file, from 1. */
  readonly row: number
}

/** Reads a list; `name` is the file as the user named it. */
export const readLineList = Effect.fn("LineListFile.readLineList")(function* (
  bytes: Uint8Array,
  name: string
) {
  const [header, ...records] = isZip(bytes) ? yield* sheetIn(bytes, name) : yield* tableIn(bytes, name)
  const names = (header?.fields ?? []).map((field) => field.trim().toLowerCase())
  const missing = columns.filter((column) => !names.includes(column))
  if (missing.length > 0)
    return yield* rejectInput(
      name,
      `column ${missing.map((column) => `"${column}"`).join(", ")} is missing; keep the first row as export-lines wrote it`,
      1
    )
  const places = columns.map((column) => [column, names.indexOf(column)] as const)
  return records
    .filter(({ fields }) => fields.some((field) => field.trim() !== ""))
    .map(({ line: row, fields }): ListedLine => {
      const cell = (column: (typeof columns)[number]) =>
        unguardedCell(fields[places.find(([named]) => named === column)?.[1] ?? -1] ?? "").trim()
      return {
        row,
        job: cell("job"),
        cue: cell("cue"),
        part: cell("part"),
        source: cell("source"),
        text: cell("text"),
        "new text": cell("new text")
      }
    })
})

/** The rows of a workbook's first sheet. */
const sheetIn = Effect.fnUntraced(function* (bytes: Uint8Array, name: string) {
  const { kind, parts, fault } = officeParts(bytes)
  if (kind !== "xlsx" || fault !== undefined)
    return yield* rejectInput(
      name,
      `cannot be read as a workbook (${fault ?? "it has no sheets"}); save it again as XLSX or CSV`
    )
  return (sheetsOf(parts)[0] ?? []).map(({ line, cells }) => ({ line, fields: cells }))
})

const tableIn = Effect.fnUntraced(function* (bytes: Uint8Array, name: string) {
  const { text } = yield* Either.mapLeft(decodeText(bytes), ({ line, expected }) =>
    rejectInput(name, expected.replace("a subtitle or text file", "a list in CSV or XLSX"), line)
  )
  const faults: Array<{ readonly line: number; readonly message: string }> = []
  // Excel understands a first line that names the separator.
  const marked = /^sep=.\n/iu.test(text)
  const records = csvRecords(marked ? text.slice(text.indexOf("\n") + 1) : text, (line, _found, message) =>
    faults.push({ line: line + (marked ? 1 : 0), message })
  )
  if (isNonEmptyArray(faults)) return yield* rejectInputs(name, faults)
  return records.map(({ line, fields }) => ({ line: line + (marked ? 1 : 0), fields }))
})
