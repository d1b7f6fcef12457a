/** Reads a dialogue list in a CSV file. */
import { CsvError, parse } from "csv-parse/sync"
import { Either, Schema } from "effect"
import { ScriptFault } from "../../../domain/speech/Cue.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { readDialogue, type ReadTable, type TableOptions } from "./DialogueList.ts"

/** Parses a file's text. Fields are separated by commas, semicolons, tabs or bars, whichever occurs most on top. */
export const readDialogueCsv = (text: string, options: TableOptions = {}): ReadTable => {
  const top = text.split("\n", 10).join("\n")
  const [delimiter = ","] = [",", ";", "\t", "|"].sort((a, b) => top.split(b).length - top.split(a).length)
  try {
    const parsed: unknown = parse(text, {
      delimiter,
      info: true,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true
    })
    const rows = decodeRecords(parsed).map(({ record, info }) => {
      const breaks = record.reduce((sum, cell) => sum + cell.split("\n").length - 1, 0)
      return { line: Math.max(1, info.lines - breaks), cells: record }
    })
    return readDialogue(rows, options)
  } catch (thrown) {
    const line =
      thrown instanceof CsvError && typeof thrown["lines"] === "number" ? Math.max(1, thrown["lines"]) : 1
    const why = thrown instanceof Error ? thrown.message : "unreadable"
    return Either.left([
      ScriptFault.make({ line, found: excerpt(text), expected: `not a readable CSV table: ${why}` })
    ])
  }
}

// The package's types leave out what the option `info` adds.
const decodeRecords = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ record: Schema.Array(Schema.String), info: Schema.Struct({ lines: Schema.Number }) })
  )
)
