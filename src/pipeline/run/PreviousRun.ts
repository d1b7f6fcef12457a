/** Reads the run.json in an output folder. */
import { basename, join } from "node:path"
import { FileSystem } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { RunReport } from "../../domain/report/Report.ts"
import { isManifest } from "../load/BatchId.ts"
import type { Batch } from "../load/Job.ts"
import { folderNameOf } from "../load/JobName.ts"
import { warn } from "../Progress.ts"

/** Returns the report of the last run into an output folder; none if it cannot be read. */
export const readPreviousRun = Effect.fnUntraced(function* (out: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.option(
    Effect.flatMap(fs.readFileString(join(out, "run.json")), Schema.decode(Schema.parseJson(RunReport)))
  )
})

/** Maximum number of jobs named in the warning. */
const named = 3

/**
 * Warns if results of another manifest will be overwritten. Manifests in one folder share an output folder by default,
 * and may use the same job names.
 */
export const warnOfForeignRun = Effect.fn("PreviousRun.warnOfForeignRun")(function* ({
  manifest,
  out,
  jobs
}: Batch) {
  const last = Option.getOrUndefined(yield* readPreviousRun(out))
  if (last === undefined || last.manifest === basename(manifest)) return
  // Bare files may well be run alone and with others.
  if (!isManifest(manifest) || !isManifest(last.manifest)) return
  const theirs = new Set(last.jobs.map(({ id }) => folderNameOf(id)))
  const both = jobs.map(({ id }) => id).filter((id) => theirs.has(folderNameOf(id)))
  if (both.length === 0) return
  const more = both.length > named ? ` and ${both.length - named} more` : ""
  yield* warn(
    `${out} holds ${both.slice(0, named).join(", ")}${more} from a run of ${last.manifest}: results of the same name are overwritten; ` +
      `to keep both, run one of the manifests with another --out`
  )
})
