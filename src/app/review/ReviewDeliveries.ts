/** Deliveries of accepted changes in the background: one at a time, and one for many changes of a job. */
import { Clock, Duration, Effect, Queue } from "effect"
import type { DeliveryStanding } from "../../pages/data/ReviewProtocol.ts"

/** A delivery starts when no further change of its job was accepted for this long. */
const quiet = Duration.seconds(1)

interface Entry {
  /** Cues that were changed since the job's last delivery began. */
  cues: Set<number>
  /** When the last of them was changed, in milliseconds since 1970. */
  changedAt: number
  /** Whether the job waits for its delivery. */
  waits: boolean
  standing: DeliveryStanding
}

/**
 * Starts the worker, which ends with the scope: a delivery that is in progress then is interrupted. `deliver` returns
 * why it failed, or undefined; `tell` takes words on what it waits for.
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

  /** Returns when a job's changes have come to rest. */
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
        // Cues of a delivery that failed are part of the next one.
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
    /** Has a job delivered with a change to a cue that is saved already. */
    request: (job: string, cue: number): Effect.Effect<DeliveryStanding> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = jobs.get(job) ?? {
          cues: new Set(),
          changedAt: now,
          waits: false,
          standing: { state: "delivered", ended: 0 }
        }
        jobs.set(job, entry)
        entry.cues.add(cue)
        entry.changedAt = now
        entry.standing = { state: "delivering", ended: entry.standing.ended }
        if (!entry.waits) Queue.unsafeOffer(line, [job, entry])
        entry.waits = true
        return entry.standing
      }),
    /** How far a job is. */
    standing: (job: string): DeliveryStanding => jobs.get(job)?.standing ?? { state: "delivered", ended: 0 },
    /** The jobs with changes that are not delivered. */
    left: (): ReadonlyArray<string> =>
      [...jobs].filter(([, { standing }]) => standing.state !== "delivered").map(([job]) => job)
  }
})
