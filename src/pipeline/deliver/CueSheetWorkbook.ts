/** The ADR cue sheet as an Excel workbook (XLSX). The library is loaded at the first use. */
import { Effect } from "effect"
import type { Timeline } from "../../domain/speech/Timeline.ts"
import { type CueSheetColumn, cueSheetColumns, cueSheetRows } from "../../exports/scripts/AdrSheet.ts"

/** Widths of the columns in characters. */
const widths: Readonly<Record<CueSheetColumn, number>> = {
  cue: 7,
  in: 13,
  out: 13,
  seconds: 9,
  character: 18,
  line: 70,
  notes: 24,
  takes: 14,
  done: 8
}

/** Encodes the cue sheet as a workbook for print. Text is never a formula; numbers are numbers. */
export const cueSheetWorkbook = (timeline: Timeline) =>
  Effect.promise(async () => {
    const { default: writeWorkbook } = await import("write-excel-file/node")
    const header = cueSheetColumns.map((value) => ({
      value,
      type: String,
      fontWeight: "bold" as const,
      backgroundColor: "#eeeeee" as const
    }))
    const rows = cueSheetRows(timeline).map((row) =>
      cueSheetColumns.map((column) =>
        column === "cue" || column === "seconds"
          ? { value: Number(row[column]), type: Number, ...(column === "cue" ? {} : { format: "0.00" }) }
          : { value: row[column], type: String, format: "@", wrap: true, alignVertical: "top" as const }
      )
    )
    return await writeWorkbook([header, ...rows], {
      sheet: "ADR",
      columns: cueSheetColumns.map((column) => ({ width: widths[column] })),
      stickyRowsCount: 1,
      orientation: "landscape"
    }).toBuffer()
  })
