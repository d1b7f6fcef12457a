/** The list of lines for a translator, as CSV or an Excel workbook: its columns, and its rows as text. */
import { csvField } from "../../exports/timelines/Csv.ts"
import { Effect } from "effect"

/** The columns of a list, in order. `import-lines` reads those in `read`; the others are for the reader. */
export const lineColumns = [
  "job",
  "cue",
  "part",
  "speaker",
  "start",
  "end",
  "lose",
  "limit",
  "before",
  "source",
  "text",
  "new text",
  "proposal",
  "after",
  "picture"
] as const
export type LineColumn = (typeof lineColumns)[number]

/** One line of a list; every cell as text. */
export type LineRow = Readonly<Record<LineColumn, string>>

/**
 * Encodes a list as CSV for spreadsheets: UTF-8 with a byte order mark, records end with CR LF. Cells that a
 * spreadsheet would read as a formula start with an apostrophe.
 */
export const lineTable = (rows: ReadonlyArray<LineRow>): string =>
  `\ufeff${[lineColumns, ...rows.map((row) => lineColumns.map((column) => guardedCell(row[column])))]
    .map((cells) => `${cells.map(csvField).join(",")}\r\n`)
    .join("")}`

/**
 * Puts an apostrophe before a text that a spreadsheet would read as a formula. See OWASP, CSV Injection:
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export const guardedCell = (text: string): string => (/^'*[=+\-@\t\r]/u.test(text) ? `'${text}` : text)

/** Returns the text of a cell as it was before `guardedCell`. */
export const unguardedCell = (cell: string): string => (/^'+[=+\-@\t\r]/u.test(cell) ? cell.slice(1) : cell)

/** Widths of the columns in characters. */
const widths: Partial<Record<LineColumn, number>> = {
  before: 30,
  source: 40,
  text: 40,
  "new text": 40,
  proposal: 40,
  after: 30
}

/**
 * Encodes a list as a workbook. Text is never a formula; only the link to the picture is one. Its cells have the format
 * for text, so that a spreadsheet takes nothing that is typed for a date or a number.
 */
export const lineWorkbook = (rows: ReadonlyArray<LineRow>) =>
  Effect.promise(async () => {
    const { default: writeWorkbook } = await import("write-excel-file/node")
    const header = lineColumns.map((value) => ({ value, type: String, fontWeight: "bold" as const }))
    const cells = rows.map((row) =>
      lineColumns.map((column) =>
        column === "picture" && row.picture !== ""
          ? {
              value: `=HYPERLINK("${row.picture.replaceAll('"', '""')}","picture")`,
              type: "Formula" as const
            }
          : { value: row[column], type: String, format: "@", wrap: true, alignVertical: "top" as const }
      )
    )
    return await writeWorkbook([header, ...cells], {
      sheet: "lines",
      columns: lineColumns.map((column) => ({ width: widths[column] ?? 10 })),
      stickyRowsCount: 1
    }).toBuffer()
  })
