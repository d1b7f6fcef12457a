/** Starts the deliveries of a run: each job's once its last utterance is settled, while others are still spoken. */
import { Effect, Fiber, Queue } from "effect"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import type { JobId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"

/**
 * Starts the deliveries of jobs that wait for nothing, and listens for utterances that are settled: spoken or failed.
 * `waiting` has the jobs of each utterance without a clip. Jobs with retakes or a
 * rewriter, and jobs whose clips are listened to, are delivered at the end.
 */
export const startDeliveries = Effect.fn("DeliveryQueue.startDeliveries")(function* <A, E, R>(
  jobs: ReadonlyArray<JobPlan>,
  waiting: ReadonlyMap<UtteranceKey, ReadonlyArray<JobPlan>>,
  deliver: (plan: JobPlan, takes: ReadonlyArray<UtteranceUse>) => Effect.Effect<A, E, R>
) {
  const settled = yield* Queue.unbounded<UtteranceKey>()
  const started = new Map<JobId, Fiber.Fiber<A, E>>()
  const start = Effect.fnUntraced(function* (plan: JobPlan, takes: ReadonlyArray<UtteranceUse>) {
    const fiber = yield* Effect.forkScoped(Effect.interruptible(deliver(plan, takes)))
    started.set(plan.job.id, fiber)
    return fiber
  })
  const missing = new Map<JobId, number>()
  for (const plans of waiting.values())
    for (const { job } of plans) missing.set(job.id, (missing.get(job.id) ?? 0) + 1)

  for (const plan of jobs) if (!waitsForAll(plan) && !missing.has(plan.job.id)) yield* start(plan, [])

  const settle = Effect.fnUntraced(function* (key: UtteranceKey) {
    for (const plan of waiting.get(key) ?? []) {
      const left = (missing.get(plan.job.id) ?? 0) - 1
      missing.set(plan.job.id, left)
      if (left === 0 && !waitsForAll(plan)) yield* start(plan, [])
    }
  }, Effect.uninterruptible)
  const listener = yield* Effect.forkScoped(Effect.forever(Effect.flatMap(settled.take, settle)))

  return {
    /** Takes each utterance that is spoken or failed. */
    settled: (key: UtteranceKey) => settled.offer(key),
    /** Delivers the other jobs, with their retakes. Returns all results in the batch's order. */
    finish: Effect.fnUntraced(function* (takes: ReadonlyMap<JobId, ReadonlyArray<UtteranceUse>>) {
      yield* Fiber.interrupt(listener)
      const all = yield* Effect.forEach(jobs, (plan) => {
        const fiber = started.get(plan.job.id)
        return fiber === undefined ? start(plan, takes.get(plan.job.id) ?? []) : Effect.succeed(fiber)
      })
      return yield* Effect.forEach(all, (fiber) => Fiber.join(fiber))
    })
  }
})

/** Whether a job may change after all its lines are spoken. */
export const waitsForAll = ({ job }: Pick<JobPlan, "job">): boolean =>
  job.retake || job.listen !== undefined || job.rewrite !== undefined
