/** The batch that a command names, planned. */
import { Effect } from "effect"
import { bilingualNotices } from "../../pipeline/plan/BilingualNotices.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { planBatch } from "../../pipeline/plan/BatchPlan.ts"
import { type BatchOptions, printNotices } from "./BatchInput.ts"

/** The plan, with what was mended or passed over in the scripts told on stderr. */
export const planBatchInput = Effect.fn("BatchPlanned.of")(function* (batch: Batch, options: BatchOptions) {
  const planned = yield* planBatch(batch)
  const doubts = bilingualNotices(planned, ({ provider }) => batch.profileOf(provider).creditsPerCharacter)
  const plan = { ...planned, notices: [...doubts, ...planned.notices] }
  yield* printNotices(plan, options)
  return plan
})
