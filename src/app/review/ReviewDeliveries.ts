/**
 * Background delivery of accepted changes: one job at a time. A change is delivered at once; those that a job gets
 * meanwhile are delivered together after it.
 */
import { Effect, Queue } from "effect"
import type { DeliveryStanding } from "../../pages/data/ReviewProtocol.ts"

interface Entry {
  /** Cues changed since the job's last delivery began. */
  cues: Set<number>
  /** Whether the job is queued. */
  waits: boolean
  standing: DeliveryStanding
}

/**
 * Starts the worker. It ends with the scope, which interrupts a delivery in progress. `deliver` returns why it failed,
 * or undefined; it calls `tell` with the reason for a wait.
 */
export const makeDeliveries = Effect.fnUntraced(function* <R>(
  deliver: (
    job: string,
    cues: ReadonlySet<number>,
    tell: (words: string) => void
  ) => Effect.Effect<string | undefined, never, R>
) {
  const jobs = new Map<string, Entry>()
  const line = yield* Queue.unbounded<readonly [job: string, entry: Entry]>()

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        const [job, entry] = yield* Queue.take(line)
        const { cues } = entry
        const { ended } = entry.standing
        entry.cues = new Set()
        entry.waits = false
        entry.standing = { state: "delivering", ended }
        const error = yield* deliver(job, cues, (words) => {
          entry.standing = { state: "delivering", ended, words }
        })
        // The next delivery includes the cues of a failed one.
        if (error !== undefined) for (const cue of cues) entry.cues.add(cue)
        entry.standing = {
          ...(error === undefined ? {} : { words: error }),
          state: entry.waits ? "delivering" : error === undefined ? "delivered" : "failed",
          ended: ended + 1
        }
      })
    )
  )

  return {
    /** Requests a delivery of a job after a saved change to cues. */
    request: (job: string, cues: ReadonlyArray<number>): Effect.Effect<DeliveryStanding> =>
      Effect.sync(() => {
        const entry = jobs.get(job) ?? {
          cues: new Set(),
          waits: false,
          standing: { state: "delivered", ended: 0 }
        }
        jobs.set(job, entry)
        for (const cue of cues) entry.cues.add(cue)
        entry.standing = { state: "delivering", ended: entry.standing.ended }
        if (!entry.waits) Queue.unsafeOffer(line, [job, entry])
        entry.waits = true
        return entry.standing
      }),
    /** The delivery status of a job. */
    standing: (job: string): DeliveryStanding => jobs.get(job)?.standing ?? { state: "delivered", ended: 0 },
    /** Jobs with undelivered changes. */
    left: (): ReadonlyArray<string> =>
      [...jobs].filter(([, { standing }]) => standing.state !== "delivered").map(([job]) => job)
  }
})
