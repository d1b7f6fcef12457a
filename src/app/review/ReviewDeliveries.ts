/** Background delivery of accepted changes: one job at a time, with changes of a job batched into one delivery. */
import { Clock, Duration, Effect, Queue } from "effect"
import type { DeliveryStanding } from "../../pages/data/ReviewProtocol.ts"

/** A delivery starts once its job has had no further change for this long. */
const quiet = Duration.seconds(1)

interface Entry {
  /** Cues changed since the job's last delivery began. */
  cues: Set<number>
  /** When the last of them was changed, in milliseconds since the epoch. */
  changedAt: number
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

  /** Waits until a job has had no change for `quiet`. */
  const settled = (entry: Entry): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const left = entry.changedAt + Duration.toMillis(quiet) - now
      return left <= 0 ? Effect.void : Effect.zipRight(Effect.sleep(left), settled(entry))
    })

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        const [job, entry] = yield* Queue.take(line)
        yield* settled(entry)
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
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = jobs.get(job) ?? {
          cues: new Set(),
          changedAt: now,
          waits: false,
          standing: { state: "delivered", ended: 0 }
        }
        jobs.set(job, entry)
        for (const cue of cues) entry.cues.add(cue)
        entry.changedAt = now
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
