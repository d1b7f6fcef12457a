/** The record of the files of a job's last delivery. */
import { basename } from "node:path"
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option } from "effect"
import { Deliveries, type Delivery } from "../../store/tables/Deliveries.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import type { SettledJob } from "../place/JobPlacement.ts"

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
