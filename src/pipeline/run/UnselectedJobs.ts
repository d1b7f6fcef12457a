/** Adds the jobs that `--only` excluded to a run's results, as earlier runs left them. */
import { Effect } from "effect"
import { Deliveries, type Delivery } from "../../store/tables/Deliveries.ts"
import { filesMadeIn, noDigest } from "../deliver/DeliveryRecord.ts"
import { allFilesPresent } from "../place/JobFingerprint.ts"
import type { Batch, Job } from "../load/Job.ts"
import { type JobResult, reportFigures } from "../report/JobResult.ts"
import { reportIn } from "../report/ReportFile.ts"

/** Returns a result for every job of the manifest, in its order, after a run of some of them. */
export const withUnselectedJobs = Effect.fn("UnselectedJobs.withUnselectedJobs")(function* (
  { every, out }: Pick<Batch, "every" | "out">,
  results: ReadonlyArray<JobResult>
) {
  if (every === undefined) return results
  const deliveries = yield* Deliveries
  const past = yield* deliveries.all(out)
  const ended = new Map(results.map((result) => [result.job.id, result]))
  return yield* Effect.forEach(every, (job) => {
    const result = ended.get(job.id)
    return result === undefined ? standingOf(out, job, past.get(job.id)) : Effect.succeed(result)
  })
})

const standingOf = Effect.fnUntraced(function* (out: string, job: Job, made: Delivery | undefined) {
  const before = { job, ...reportFigures(yield* reportIn(out, job.id)) }
  const standing: JobResult =
    made !== undefined && made.digest !== noDigest && (yield* allFilesPresent(out, made))
      ? { ...before, status: "delivered", unchanged: true, files: filesMadeIn(made) }
      : { ...before, status: "unfinished", error: "not delivered yet, and not selected by --only" }
  return standing
})
