/** Runs the jobs of a worker's queues as fibers: ends, defers or returns each job as its fiber ends. */
import { DelayedError, type Job, WaitingError } from "bullmq"
import { Cause, Deferred, Exit, Fiber, Runtime, type Effect } from "effect"
import { JobUnusable } from "../shared/FleetErrors.ts"

/** A job that this worker is processing. */
export interface JobInHand {
  readonly job: Job
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

/** Outcome of a job: ended with a value, or deferred until a time in milliseconds since 1970. */
export type JobOutcome<A> = { readonly value: A } | { readonly until: number }

/** How long the jobs of a worker that ends because of a fatal error are deferred, in milliseconds. */
const givenBack = 5_000

/**
 * Makes the processors of a worker's queues. `active` holds the jobs in hand, by id. An error other than `JobUnusable`
 * ends the worker through `fault`.
 */
export const makeJobProcessors =
  <F>(active: Map<string, JobInHand>, fault: Deferred.Deferred<never, F>) =>
  <A, R>(
    context: Runtime.Runtime<R>,
    handle: (job: Job) => Effect.Effect<JobOutcome<A>, F | JobUnusable, R>
  ) => {
    const fork = Runtime.runFork(context)
    const awaited = Runtime.runPromise(context)
    return async (job: Job, token?: string): Promise<A> => {
      if (token === undefined || job.id === undefined) throw new WaitingError()
      const { id } = job
      // The queue may return a job to this worker that it still works on, for example after Redis was down.
      for (let before = active.get(id); before !== undefined; before = active.get(id)) {
        await awaited(Fiber.interrupt(before.fiber))
        if (active.get(id) === before) active.delete(id)
      }
      const fiber = fork(handle(job))
      const own: JobInHand = { job, fiber }
      active.set(id, own)
      try {
        const exit = await awaited(Fiber.await(fiber))
        if (Exit.isSuccess(exit)) {
          if ("value" in exit.value) return exit.value.value
          await job.moveToDelayed(exit.value.until, token)
          throw new DelayedError()
        }
        const failure = Cause.failureOption(exit.cause)
        if (failure._tag === "Some" && !(failure.value instanceof JobUnusable)) {
          await awaited(Deferred.fail(fault, failure.value))
          await job.moveToDelayed(Date.now() + givenBack, token)
          throw new DelayedError()
        }
        if (Cause.isInterruptedOnly(exit.cause)) {
          // Returns the job if this worker still holds it; otherwise the call fails, which is ignored.
          await job.moveToWait(token).catch(() => {})
          throw new WaitingError()
        }
        const error = Cause.squash(exit.cause)
        throw error instanceof Error ? new Error(error.message) : new Error(String(error))
      } finally {
        if (active.get(id) === own) active.delete(id)
      }
    }
  }
