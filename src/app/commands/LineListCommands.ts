/**
 * `export-lines` writes the lines that do not fit to a file for a translator. `import-lines` checks the list that comes
 * back, and saves its texts as overrides.
 */
import { FileSystem } from "@effect/platform"
import { Effect, Either, Record } from "effect"
import { Screen } from "../terminal/Screen.ts"
import { badUsage } from "../ExitCodes.ts"
import { ffmpegToPlan } from "../../library/layers/FfmpegLayers.ts"
import { lineChanges } from "../../pipeline/lists/LineChanges.ts"
import { lineRows, listedJobs } from "../../pipeline/lists/LineList.ts"
import { lineTable, lineWorkbook } from "../../pipeline/lists/LineTable.ts"
import { namesManifest } from "../../pipeline/load/BatchLoader.ts"
import { planBatch } from "../../pipeline/plan/BatchPlan.ts"
import { readInput } from "../../pipeline/load/InputFile.ts"
import { readLineList } from "../../pipeline/lists/LineListFile.ts"
import { rejectInputs } from "../../pipeline/load/InputRejected.ts"
import { type BatchOptions, loadBatchInput } from "../batch/BatchInput.ts"
import { writeOverrides } from "../../pipeline/load/OverridesFile.ts"
import { writeResult } from "../../pipeline/report/ResultFolder.ts"

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

export interface ImportLinesOptions extends BatchOptions {
  readonly from: string
  readonly long: boolean
}

/** Saves all new texts of a list, or none if the list has a fault. */
export const importLinesCommand = Effect.fnUntraced(function* (options: ImportLinesOptions) {
  const screen = yield* Screen
  const { from, long, inputs } = options
  if (!(yield* namesManifest(inputs[0])))
    return yield* badUsage("import-lines: expected a manifest; the new texts are saved beside it")
  const { bytes } = yield* readInput(from, from)
  const listed = yield* readLineList(bytes, from)
  const batch = yield* loadBatchInput(options)
  const plan = yield* planBatch(batch).pipe(Effect.provide(ffmpegToPlan(batch)))
  const changes = yield* Either.mapLeft(lineChanges(listed, yield* listedJobs(plan), long), (faults) =>
    rejectInputs(from, faults)
  )
  yield* Effect.forEach(changes, ([job, overrides]) => writeOverrides(batch.manifest, job, overrides), {
    discard: true
  })
  const count = [...changes.values()].reduce((sum, overrides) => sum + Record.size(overrides), 0)
  yield* screen.result(
    count === 0
      ? `${from}: no new text to save`
      : `${from}: ${count} new ${count === 1 ? "text" : "texts"} saved; the next run speaks ${count === 1 ? "it" : "them"}`
  )
})
