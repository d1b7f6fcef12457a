/** The `import-lines` command: checks a list that comes back from a translator, and saves its texts as overrides. */
import { Effect, Either, Record } from "effect"
import { ffmpegToPlan } from "../../library/layers/FfmpegLayers.ts"
import { namesManifest } from "../../pipeline/load/BatchLoader.ts"
import { readInput } from "../../pipeline/load/InputFile.ts"
import { rejectInputs } from "../../pipeline/load/InputRejected.ts"
import { writeOverrides } from "../../pipeline/load/OverridesFile.ts"
import { lineChanges } from "../../pipeline/lists/LineChanges.ts"
import { listedJobs } from "../../pipeline/lists/LineList.ts"
import { readLineList } from "../../pipeline/lists/LineListFile.ts"
import { planBatch } from "../../pipeline/plan/BatchPlan.ts"
import { type BatchOptions, loadBatchInput } from "../batch/BatchInput.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"

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
