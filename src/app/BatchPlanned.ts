/** The batch that a command names, planned. */
import { Effect } from "effect"
import type { Batch } from "../pipeline/Job.ts"
import { planBatch } from "../pipeline/Plan.ts"
import { type BatchOptions, tellNotices } from "./BatchFlags.ts"

/** The plan, with what was mended or passed over in the scripts told on stderr. */
export const planOf = Effect.fn("BatchPlanned.of")(function* (batch: Batch, options: BatchOptions) {
  const plan = yield* planBatch(batch)
  yield* tellNotices(plan, options)
  return plan
})
