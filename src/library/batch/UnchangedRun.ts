/** Recognizes a batch that is unchanged since its last run. Kept apart from `PlannedRun.ts`, which loads slowly. */
import { Effect, Option } from "effect"
import type { Batch } from "../../pipeline/load/Job.ts"
import { type NoopBatch, unchangedSince } from "../../pipeline/run/NoopCheck.ts"
import { reportNoop } from "../../pipeline/run/NoopRun.ts"
import { readableStateLayer, writableStateLayer } from "../layers/StateLayers.ts"

/** The last run's result if the batch is unchanged since; none if the state is unreadable (the run reports that). */
export const findUnchanged = (batch: Batch, sources: string, sharedClips?: string) =>
  unchangedSince(batch, sources).pipe(
    Effect.provide(readableStateLayer(batch.state, sharedClips)),
    Effect.orElseSucceed(() => Option.none<NoopBatch>())
  )

/** Ends the run of an unchanged batch with its last result. */
export const runUnchanged = (unchanged: NoopBatch) =>
  Effect.provide(reportNoop(unchanged), writableStateLayer(unchanged.batch.state))
