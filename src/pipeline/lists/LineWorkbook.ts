/** The list of lines for a translator, as an Excel workbook (XLSX). The library is loaded at the first use. */
import { Effect } from "effect"
import { type LineColumn, lineColumns, type LineRow } from "./LineTable.ts"

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
