/** Outdated outputs: decides which files of a job's previous delivery to delete, and which to keep. */
import { basename, dirname, join, relative, sep } from "node:path"
import { FileSystem } from "@effect/platform"
import { Array, Effect } from "effect"
import type { JobId } from "../../domain/values/Ids.ts"
import { fileIdentity } from "../../system/FileIdentity.ts"
import { folderNameOf } from "../load/JobName.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import { reportNames } from "./DeliveryRecord.ts"

/**
 * Deletes files that the previous delivery left among a job's clips, stems and further edit decision lists, unless they
 * changed since. Otherwise, importing the whole folder into an editor would duplicate lines that have moved.
 * Other outdated files, in formats no longer requested, are kept: someone may use them in a project. Returns their
 * names, files and folders. `files` are those of the current delivery.
 */
export const removeOutdated = Effect.fnUntraced(function* (
  out: string,
  job: JobId,
  before: Delivery,
  files: ReadonlyArray<string>
) {
  const fs = yield* FileSystem.FileSystem
  const made = new Set(files.map((file) => relative(out, file)))
  const folders = new Set([...made].map((file) => dirname(file)).filter((folder) => folder !== job))
  // Many file systems ignore case or Unicode normalization: there, an earlier name may be that of a current file.
  const current = new Map(files.map((file) => [folderNameOf(relative(out, file)), file]))
  const isCurrent = (path: string) => {
    const file = current.get(folderNameOf(path))
    return made.has(path) || (file !== undefined && fileIdentity(file) === fileIdentity(join(out, path)))
  }
  const asWritten = ({ path, bytes }: Delivery["files"][number]) =>
    Effect.orElseSucceed(
      Effect.map(fs.stat(join(out, path)), ({ size }) => Number(size) === bytes),
      () => false
    )
  const left = yield* Effect.filter(
    before.files.filter(({ path }) => !isCurrent(path) && !reportNames.includes(basename(path))),
    asWritten
  )
  const isPart = (path: string) => isFurtherList(job, path) && made.has(join(job, `${job}.edl`))
  const [staying, going] = Array.partition(left, ({ path }) => folders.has(dirname(path)) || isPart(path))
  yield* Effect.forEach(going, ({ path }) => Effect.ignore(fs.remove(join(out, path))), { discard: true })
  return Array.dedupe(staying.map(({ path }) => relative(job, path).split(sep)[0] ?? path))
})

/** Whether a file continues an edit decision list that did not fit into one file: `name-2.edl`. */
const isFurtherList = (job: JobId, path: string): boolean =>
  dirname(path) === job && path.startsWith(join(job, `${job}-`)) && /-\d+\.edl$/u.test(path)
