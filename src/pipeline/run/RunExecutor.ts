/** Who speaks and delivers a batch: this process by itself, or others that it hands the work to. */
import { Effect } from "effect"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import type { ClipFolder } from "../../store/files/ClipFolder.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { deliverToResult } from "../deliver/DeliveryOutcome.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { speakUtterances, type SpeakNeeds } from "../speak/SpeakStage.ts"
import type { SpeakSettings, SpeakSummary } from "../speak/SpeakSettings.ts"

export interface RunExecutor {
  /** Learns what others know of a batch before it is looked at what is left of it. */
  readonly begin: (plan: BatchPlan) => Effect.Effect<void, StateUnusable, RunExecutorState>
  /** Speaks what is left of the wanted utterances; `plan` is the batch that they are of. */
  readonly speak: (
    settings: SpeakSettings,
    plan: Pick<BatchPlan, "batch" | "jobs">
  ) => Effect.Effect<SpeakSummary, StateUnusable, SpeakNeeds | RunExecutorState>
  /** Delivers a job whose utterances are spoken, failed or left. */
  readonly deliver: (
    plan: JobPlan,
    takes: ReadonlyArray<UtteranceUse>,
    out: string,
    past: ReadonlyMap<string, Delivery>
  ) => ReturnType<typeof deliverToResult>
  /** How many jobs are delivered at once. */
  readonly deliveriesAtOnce: number
}

/** The state that is looked into and written to. */
export type RunExecutorState = UtteranceStore | ClipFolder

/** This process by itself, one job at a time: ffmpeg and the mix have all cores to themselves. */
export const localExecutor: RunExecutor = {
  begin: () => Effect.void,
  speak: speakUtterances,
  deliver: deliverToResult,
  deliveriesAtOnce: 1
}
