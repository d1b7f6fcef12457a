/** The `export-lines` command: writes the lines that do not fit to a file for a translator. */
import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { ffmpegToPlan } from "../../library/layers/FfmpegLayers.ts"
import { lineRows, listedJobs } from "../../pipeline/lists/LineList.ts"
import { lineTable } from "../../pipeline/lists/LineTable.ts"
import { lineWorkbook } from "../../pipeline/lists/LineWorkbook.ts"
import { planBatch } from "../../pipeline/plan/BatchPlan.ts"
import { writeResult } from "../../pipeline/report/ResultFolder.ts"
import { type BatchOptions, loadBatchInput } from "../batch/BatchInput.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"

export interface ExportLinesOptions extends BatchOptions {
  readonly to: string
  readonly proposals: boolean
}

export const exportLinesCommand = Effect.fnUntraced(function* (options: ExportLinesOptions) {
  const fs = yield* FileSystem.FileSystem
  const screen = yield* Screen
  const { to, proposals } = options
  if (!/\.(?:csv|xlsx)$/iu.test(to))
    return yield* badUsage(`--to: expected a file that ends in .csv or .xlsx, found "${to}"`)
  if (yield* Effect.orElseSucceed(fs.exists(to), () => false))
    return yield* badUsage(`${to}: exists, and may hold a translator's work; name another file, or delete it`)
  const batch = yield* loadBatchInput(options)
  const plan = yield* planBatch(batch).pipe(Effect.provide(ffmpegToPlan(batch)))
  const rows = yield* lineRows(yield* listedJobs(plan), batch, to, proposals)
  if (rows.length === 0) return yield* screen.result("every line fits: nothing to export")
  const content = /\.xlsx$/iu.test(to) ? yield* lineWorkbook(rows) : lineTable(rows)
  yield* writeResult(to, content)
  yield* screen.result(`${to}: ${rows.length} ${rows.length === 1 ? "line does" : "lines do"} not fit`)
})
