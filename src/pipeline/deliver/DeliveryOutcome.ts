/** Delivers a job and turns any failure into its result. */
import { Effect } from "effect"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { deliverJob } from "./JobDelivery.ts"
import type { JobResult } from "../report/JobResult.ts"
import { about } from "../Annotations.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { Progress } from "../Progress.ts"

/** Delivers a job. Its failure becomes its result and affects no other job. */
export const deliverToResult = (
  plan: JobPlan,
  takes: ReadonlyArray<UtteranceUse>,
  out: string,
  past: ReadonlyMap<string, Delivery>
) => {
  const undone = (status: "failed" | "unfinished") => (error: { readonly message: string }) =>
    Effect.succeed<JobResult>({
      job: plan.job,
      status,
      metrics: undefined,
      last: undefined,
      looks: 0,
      error: error.message
    })
  return deliverJob(plan, takes, out, past).pipe(
    Effect.catchTags({
      ClipMissing: (missing) =>
        Effect.zipRight(spoiltClipsRemoved(plan, takes), undone("unfinished")(missing)),
      ContainerRefuses: undone("failed"),
      DiskFull: undone("failed"),
      FfmpegFailed: undone("failed"),
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
const spoiltClipsRemoved = Effect.fnUntraced(function* (plan: JobPlan, takes: ReadonlyArray<UtteranceUse>) {
  const store = yield* UtteranceStore
  const folder = yield* ClipFolder
  const stored = yield* store.clips([...plan.uses, ...takes].map(({ utterance }) => utterance.key))
  yield* folder.removeSpoilt(new Map([...stored].map(([key, { clip }]) => [key, clip.checksum])))
})

/** Emits the event of a job that was not delivered. */
export const reportUndelivered = (result: JobResult): Effect.Effect<void, never, Progress> =>
  result.status === "delivered"
    ? Effect.void
    : Effect.flatMap(Progress, ({ emit }) =>
        emit(
          result.status === "failed"
            ? { _tag: "JobFailed", job: result.job.id, error: result.error }
            : { _tag: "JobUnfinished", job: result.job.id, why: result.error }
        )
      )
