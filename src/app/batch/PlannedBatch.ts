/** Plans the batch that a command names and prints its notices. */
import { Effect } from "effect"
import type { Batch } from "../../pipeline/load/Job.ts"
import { planBatch } from "../../pipeline/plan/BatchPlan.ts"
import { withBilingualNotices } from "../../pipeline/plan/BilingualNotices.ts"
import { type BatchOptions, printNotices } from "./BatchInput.ts"

/** Plans a batch. Prints the repairs and skipped parts of the scripts on stderr. */
export const planBatchInput = Effect.fn("PlannedBatch.planBatchInput")(function* (
  batch: Batch,
  options: BatchOptions
) {
  const plan = withBilingualNotices(yield* planBatch(batch))
  yield* printNotices(plan, options)
  return plan
})
