/** The list of lines for a translator, as CSV: its columns, and its rows as text. */
import { csvField } from "../../exports/timelines/Csv.ts"

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
