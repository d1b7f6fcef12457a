/** Looks up which utterances have jobs, in two requests per queue. */
import { Effect } from "effect"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { speakQueue } from "../shared/Queues.ts"

/** The ids of jobs, which are the keys of their utterances. */
export interface QueuedJobs {
  readonly unfinished: ReadonlySet<string>
  /** Those that have ended and are still kept. A job that ends during the look-up may be in both sets. */
  readonly ended: ReadonlySet<string>
}

/** Returns the jobs in the queues of utterances; the queues may hold jobs of other batches, too. */
export const queuedJobs = (
  { watch, callRedis }: Pick<Coordinator, "watch" | "callRedis">,
  utterances: ReadonlyArray<Utterance>
) =>
  Effect.gen(function* () {
    const names = new Set(utterances.map(({ casting }) => speakQueue(casting.provider)))
    const found = yield* Effect.forEach(names, (name) =>
      Effect.gen(function* () {
        const queue = yield* watch.queue(name)
        // The unfinished first, so that a job that ends in between is not missed.
        const unfinished = yield* callRedis(() =>
          queue.getRanges(["wait", "active", "delayed", "prioritized"], 0, -1)
        )
        const ended = yield* callRedis(() => queue.getRanges(["completed", "failed"], 0, -1))
        return { unfinished, ended }
      })
    )
    return {
      unfinished: new Set(found.flatMap(({ unfinished }) => unfinished)),
      ended: new Set(found.flatMap(({ ended }) => ended))
    } satisfies QueuedJobs
  })
