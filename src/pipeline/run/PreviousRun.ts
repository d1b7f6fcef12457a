/** run.json as an earlier run, or this one, has left it. */
import { basename, join } from "node:path"
import { FileSystem } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { RunReport } from "../../domain/report/Report.ts"
import { isManifest } from "../load/BatchId.ts"
import type { Batch } from "../load/Job.ts"
import { folderNameOf } from "../load/JobName.ts"
import { Progress } from "../Progress.ts"

/** What the last run into a folder of results came to; none where that cannot be read. */
export const readPreviousRun = Effect.fnUntraced(function* (out: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.option(
    Effect.flatMap(fs.readFileString(join(out, "run.json")), Schema.decode(Schema.parseJson(RunReport)))
  )
})

/** How many jobs are named. */
const named = 3

/**
 * Warns where results of another manifest will be written over: manifests of one folder have one folder of results, and
 * may call their jobs by the same names.
 */
export const warnOfForeignRun = Effect.fn("LastRun.warnOfOthers")(function* ({ manifest, out, jobs }: Batch) {
  const last = Option.getOrUndefined(yield* readPreviousRun(out))
  if (last === undefined || last.manifest === basename(manifest)) return
  // Bare files are run by themselves and with others, as it suits.
  if (!isManifest(manifest) || !isManifest(last.manifest)) return
  const theirs = new Set(last.jobs.map(({ id }) => folderNameOf(id)))
  const both = jobs.map(({ id }) => id).filter((id) => theirs.has(folderNameOf(id)))
  if (both.length === 0) return
  const more = both.length > named ? ` and ${both.length - named} more` : ""
  const progress = yield* Progress
  yield* progress.emit({
    _tag: "Warning",
    message:
      `${out} holds ${both.slice(0, named).join(", ")}${more} from a run of ${last.manifest}: what has the same name is written over; ` +
      `to keep both, run one of them with another --out`
  })
})
