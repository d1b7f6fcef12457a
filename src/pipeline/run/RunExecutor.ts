/**
 * Interface of an executor, which speaks and delivers a batch: this process (`Dub.ts`), a fleet, or a program's own.
 */
import type { Effect, Scope } from "effect"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import type { deliverToResult } from "../deliver/DeliveryOutcome.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import type { Progress } from "../Progress.ts"
import type { SpeakNeeds } from "../speak/SpeakStage.ts"
import type { SpeakSettings, SpeakSummary } from "../speak/SpeakSettings.ts"

export interface RunExecutor {
  /** Speaks the wanted utterances that have no clip; `plan` is their batch. */
  readonly speak: (
    settings: SpeakSettings,
    plan: Pick<BatchPlan, "batch" | "jobs">
  ) => Effect.Effect<SpeakSummary, StateUnusable, SpeakNeeds>
  /** Places and delivers a job whose utterances are all spoken, failed or left. */
  readonly deliver: (
    plan: JobPlan,
    takes: ReadonlyArray<UtteranceUse>,
    out: string,
    past: ReadonlyMap<string, Delivery>
  ) => ReturnType<typeof deliverToResult>
  /** Jobs delivered at once. */
  readonly deliveriesAtOnce: number
}

/** Makes an executor, which may live as long as the run and read its state. */
export type MakeExecutor<E, R> = Effect.Effect<RunExecutor, E, R | Progress | Scope.Scope | UtteranceTransfer>
