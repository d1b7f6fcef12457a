/**
 * One job of a run, from its plan to its result. Other jobs go on meanwhile, and utterances that they share are spoken
 * once. Each result is in the state before the next step depends on it, so a job that stops at any point can continue.
 */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import { defectToResult } from "../deliver/DeliveryOutcome.ts"
import { planRetakes } from "../place/Retakes.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import type { RunSpeech } from "./BatchSpeech.ts"
import type { RunExecutor } from "./RunExecutor.ts"
import { heard, openListening } from "./ListenStep.ts"
import { type Rewriting, shortened } from "./RewriteStep.ts"

/** Makes the line that takes each job of a plan to its result. Returns that, and the job's plan as it was delivered. */
export const makeJobLine = Effect.fnUntraced(function* <E, R>(
  whole: BatchPlan,
  executor: RunExecutor,
  speech: RunSpeech<E, R>,
  rewriting: Rewriting,
  past: ReadonlyMap<string, Delivery>
) {
  const { batch } = whole
  const listening = yield* openListening(whole)
  const turn = yield* Effect.makeSemaphore(executor.deliveriesAtOnce)

  /** Takes a clip from all deliveries while it is replaced, if other jobs use it, too. */
  const alone = <A, E2, R2>(own: JobPlan, key: UtteranceKey, work: Effect.Effect<A, E2, R2>) =>
    whole.jobs.some(({ job, uses }) => job.id !== own.job.id && uses.some((one) => one.utterance.key === key))
      ? turn.withPermits(executor.deliveriesAtOnce)(work)
      : work

  const retaken = Effect.fnUntraced(function* (plan: JobPlan) {
    const takes = yield* planRetakes(plan, batch)
    const isReady = takes.length > 0 && (yield* speech.ready(takes.map(({ utterance }) => utterance)))
    if (isReady) yield* speech.more(plan, takes)
    return { plan, takes }
  })

  return Effect.fn("JobRun.makeJobLine")(function* (planned: JobPlan) {
    let plan = planned
    const result = yield* Effect.gen(function* () {
      yield* speech.until(planned)
      const job = yield* shortened(rewriting, yield* retaken(planned), speech, retaken)
      plan = yield* heard(listening, job, speech, alone)
      return yield* turn.withPermits(1)(executor.deliver(plan, job.takes, batch.out, past))
    }).pipe(defectToResult(planned.job))
    return { plan, result }
  })
})
