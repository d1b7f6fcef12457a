/** The record of the files of a job's last delivery; deletes those that the next one outdates. */
import { basename, dirname, join, relative, sep } from "node:path"
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option, Array } from "effect"
import { Deliveries, type Delivery } from "../../store/tables/Deliveries.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import type { SettledJob } from "../place/JobPlacement.ts"
import type { JobId } from "../../domain/values/Ids.ts"
import { fileIdentity } from "../../system/FileIdentity.ts"
import { folderNameOf } from "../load/JobName.ts"

/** The reports beside a job's files. */
export const reportNames: ReadonlyArray<string> = ["report.json", "report.html", "provenance.json"]

/** The files of a delivery without its reports, relative to the output folder. */
export const filesMadeIn = ({ files }: Pick<Delivery, "files">): ReadonlyArray<string> =>
  files.flatMap(({ path }) => (reportNames.includes(basename(path)) ? [] : [path]))

/** Records a delivery and the sizes of its files. */
export const rememberFiles = Effect.fnUntraced(function* (
  out: string,
  { job }: JobPlan,
  digest: string,
  files: ReadonlyArray<string>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const deliveries = yield* Deliveries
  const sizes = yield* Effect.option(
    Effect.forEach(files, (file) =>
      Effect.map(fs.stat(file), ({ size }) => ({ path: path.relative(out, file), bytes: Number(size) }))
    )
  )
  // If a file is already missing, the delivery is not recorded, so that the next run makes it again.
  yield* Option.match(sizes, {
    onNone: () => deliveries.forget(out, job.id),
    onSome: (sized) => deliveries.remember(out, job.id, { digest, files: sized })
  })
})

/** Of a delivery whose files may have been replaced since. No job has this digest. */
export const noDigest = ""

/** Marks a job's last delivery as outdated before its files are replaced. It still lists the files. */
export const outdateDelivery = ({ plan, out, before }: SettledJob) =>
  before === undefined
    ? Effect.void
    : Effect.flatMap(Deliveries, ({ remember }) =>
        remember(out, plan.job.id, { ...before, digest: noDigest })
      )

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
