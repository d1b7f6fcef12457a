/** Reads a job's report.json from the output folder. */
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import type { JobId } from "../../domain/values/Ids.ts"
import { JobReport } from "../../domain/report/Report.ts"

/** Reads the report in a job's folder, or in an output folder's; undefined if there is none, or it cannot be read. */
export const reportIn = Effect.fnUntraced(function* (folder: string, job: JobId | "" = "") {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const read = Effect.flatMap(
    fs.readFileString(join(folder, job, "report.json")),
    Schema.decode(Schema.parseJson(JobReport))
  )
  return Option.getOrUndefined(yield* Effect.option(read))
})
