/** report.json as an earlier run, or this one, has left it. */
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import type { JobId } from "../../domain/values/Ids.ts"
import { JobReport } from "../../domain/report/Report.ts"

/** A job's report; undefined where there is none that can be read. */
export const reportIn = Effect.fnUntraced(function* (out: string, job: JobId) {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const read = Effect.flatMap(
    fs.readFileString(join(out, job, "report.json")),
    Schema.decode(Schema.parseJson(JobReport))
  )
  return Option.getOrUndefined(yield* Effect.option(read))
})
