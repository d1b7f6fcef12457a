/** Delivers a job and turns any failure into its result. */
import { Effect } from "effect"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { filesMadeIn } from "./DeliveryRecord.ts"
import { deliverJob } from "./JobDelivery.ts"
import { reportIn } from "../report/ReportFile.ts"
import { type JobResult, reportFigures } from "../report/JobResult.ts"
import { about } from "../Annotations.ts"
import type { Job } from "../load/Job.ts"
import type { PlacedJob, SettledJob } from "../place/JobPlacement.ts"
import { type Progress, emit } from "../Progress.ts"

/** The result of a job that cannot be delivered. */
export const failedJob = (job: Job, error: string) => {
  const result: JobResult = { job, status: "failed", error, ...reportFigures(undefined) }
  return Effect.as(reportUndelivered(result), result)
}

/** Turns an internal error of a job's delivery into its result: the other jobs are delivered. */
export const defectToResult =
  (job: Job) =>
  <E, R>(delivery: Effect.Effect<JobResult, E, R>): Effect.Effect<JobResult, E, R | Progress> =>
    delivery.pipe(
      Effect.tapDefect((cause) => Effect.logError(`job ${job.id} was not delivered`, cause)),
      Effect.catchAllDefect((defect) => {
        const [first = ""] = String(defect).split("\n")
        // An error with a tag is not a fault of the program: a fleet's Redis may be gone.
        const isTold = defect instanceof Error && "_tag" in defect
        const words = isTold ? defect.message : `internal error, please report it: ${first}`
        return failedJob(job, words)
      })
    )

/** Delivers a placed job. Its failure becomes its result and affects no other job. */
export const deliverToResult = (placed: PlacedJob) => {
  const { plan } = placed
  const undone = (status: "failed" | "unfinished") => (fault: { readonly message: string }) =>
    Effect.succeed<JobResult>({ job: plan.job, status, error: fault.message, ...reportFigures(undefined) })
  return deliverJob(placed).pipe(
    Effect.catchTags({
      ClipMissing: (missing) => Effect.zipRight(spoiltClipsRemoved(placed), undone("unfinished")(missing)),
      BackgroundMissing: undone("unfinished"),
      ContainerRefuses: undone("failed"),
      DiskFull: undone("failed"),
      FfmpegFailed: undone("failed"),
      InputRejected: undone("failed"),
      NotAudio: undone("failed"),
      NothingDelivered: undone("failed"),
      NotMedia: undone("failed"),
      ResultUnwritable: undone("failed"),
      UnknownContainer: undone("failed"),
      Unwritable: undone("failed")
    }),
    Effect.tap(reportUndelivered),
    about({ job: plan.job.id })
  )
}

/**
 * A clip of the right size but with wrong bytes looks intact until it is read. Deletes all such clips of the job, so
 * that the next run fetches all of them.
 */
const spoiltClipsRemoved = Effect.fnUntraced(function* ({ plan, takes }: PlacedJob) {
  const store = yield* UtteranceStore
  const folder = yield* ClipFolder
  const stored = yield* store.clips([...plan.uses, ...takes].map(({ utterance }) => utterance.key))
  yield* folder.removeSpoilt(new Map([...stored].map(([key, { clip }]) => [key, clip.checksum])))
})

/** Keeps the files of an unchanged job, and returns them as its result. */
export const keepDelivery = Effect.fnUntraced(function* ({ plan: { job }, out, before }: SettledJob) {
  yield* emit({ _tag: "Unchanged", job: job.id })
  const figures = reportFigures(yield* reportIn(out, job.id))
  const files = before === undefined ? [] : filesMadeIn(before)
  return { job, status: "delivered", unchanged: true, files, ...figures } satisfies JobResult
})

/** Emits the event of a job that was not delivered. */
export const reportUndelivered = (result: JobResult): Effect.Effect<void, never, Progress> =>
  result.status === "delivered"
    ? Effect.void
    : emit(
        result.status === "failed"
          ? { _tag: "JobFailed", job: result.job.id, error: result.error }
          : { _tag: "JobUnfinished", job: result.job.id, why: result.error }
      )
