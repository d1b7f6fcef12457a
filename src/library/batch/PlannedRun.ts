/** Plans and runs a batch. */
import { Path } from "@effect/platform"
import { Effect, type Scope } from "effect"
import { dub } from "../../pipeline/Dub.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { bilingualNotices } from "../../pipeline/plan/BilingualNotices.ts"
import { type BatchPlan, planBatch } from "../../pipeline/plan/BatchPlan.ts"
import type { Progress } from "../../pipeline/Progress.ts"
import type { RunExecutor } from "../../pipeline/run/RunExecutor.ts"
import type { Deadline } from "../../pipeline/speak/SpeakSettings.ts"
import type { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import { SpeechService } from "../layers/SpeechService.ts"
import { writableStateLayer } from "../layers/StateLayers.ts"
import { pricesOf, withPrices } from "./Prices.ts"

/** Makes an executor, which may live as long as the run and read its state. */
export type MakeExecutor<E, R> = Effect.Effect<RunExecutor, E, R | Progress | Scope.Scope | UtteranceTransfer>

export interface PlannedRunOptions<E1, R1, E2, R2> {
  /** The digest of the batch's files when it was loaded. */
  readonly sources: string
  readonly maxCredits: number | undefined
  readonly deadline: Deadline | undefined
  /** Speaks and delivers. */
  readonly executor: MakeExecutor<E1, R1>
  /** The clip folder of a fleet. */
  readonly sharedClips?: string | undefined
  /** A step that changes the batch's state before the run. */
  readonly first: (plan: BatchPlan) => Effect.Effect<void, E2, R2 | UtteranceStore>
}

/** Plans a batch, with the notices of all its jobs. */
export const planFully = Effect.fn("PlannedRun.planFully")(function* (batch: Batch) {
  const plan = yield* planBatch(batch)
  const doubts = bilingualNotices(plan, ({ provider }) => batch.profileOf(provider).creditsPerCharacter)
  return { ...plan, notices: [...doubts, ...plan.notices] }
})

/** Runs a planned batch with its service and its state folder. */
export const runPlanned = Effect.fnUntraced(function* <E1, R1, E2, R2>(
  planned: BatchPlan,
  options: PlannedRunOptions<E1, R1, E2, R2>
) {
  const { maxCredits, deadline, sources } = options
  const { batch } = planned
  const path = yield* Path.Path
  const { connect } = yield* SpeechService
  // maxCredits can only be enforced if prices are known before the first task.
  const plan = maxCredits === undefined ? planned : withPrices(planned, yield* pricesOf(planned))
  const service = connect(batch.service, path.join(batch.state, "service"))
  return yield* Effect.gen(function* () {
    yield* options.first(plan)
    const executor = yield* options.executor
    return yield* dub(plan, service, { maxCredits, deadline, sources, executor })
  }).pipe(Effect.scoped, Effect.provide(writableStateLayer(batch.state, options.sharedClips)))
})
