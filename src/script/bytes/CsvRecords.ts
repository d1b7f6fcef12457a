/** Reads CSV tables as spreadsheets write them: with commas, semicolons or tabs. Each record has its line number. */
import { CsvError, parse } from "csv-parse/sync"
import { Schema } from "effect"

/** A record of a table. */
export interface CsvRecord {
  /** The line where it begins, from 1. */
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** Reports a fault: its line, the content found there, and the expected content. */
export type Blame = (line: number, found: string, expected: string) => void

/**
 * Parses CSV without empty lines; the separator is detected in the first line unless it is given. A faulty quote ends
 * the table: every field after it could be misread.
 */
export const csvRecords = (text: string, blame: Blame, separator?: string): ReadonlyArray<CsvRecord> => {
  try {
    const parsed = parse(text, {
      delimiter: separator ?? separatorOf(text.slice(0, text.search(/\n|$/u))),
      record_delimiter: "\n",
      trim: true,
      relax_quotes: true,
      relax_column_count: true,
      raw: true,
      info: true
    })
    return decodeRecords(parsed)
      .map(({ record, raw, info }) => ({ line: firstLine(raw, info.lines), fields: record }))
      .filter(({ fields }) => fields.some((field) => field !== ""))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { raw, lines } = decodeContext(error)
    blame(firstLine(raw, lines), raw, "expected a quoted field to end with a quote and a separator")
    return []
  }
}

// The package's types lack the fields that the options `raw` and `info` add.
const decodeRecords = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      record: Schema.Array(Schema.String),
      raw: Schema.String,
      info: Schema.Struct({ lines: Schema.Number })
    })
  )
)

const decodeContext = Schema.decodeUnknownSync(Schema.Struct({ raw: Schema.String, lines: Schema.Number }))

/** The parser counts lines up to a record's last; this returns its first. */
const firstLine = (raw: string, last: number): number => last - (raw.match(/\n(?!$)/gu)?.length ?? 0)

const separatorOf = (header: string): string =>
  header.includes("\t") ? "\t" : header.includes(";") && !header.includes(",") ? ";" : ","
