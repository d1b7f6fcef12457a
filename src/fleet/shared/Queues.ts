/** Names and options of a fleet's BullMQ queues: one per provider for utterances, one for deliveries. */
import { Queue, type QueueOptions } from "bullmq"
import { Effect, type Scope } from "effect"
import type { Redis } from "ioredis"
import type { ProviderId } from "../../domain/values/Ids.ts"

/** Prefix of all of a fleet's Redis keys. */
export const prefix = "dubwright"

/** The queue of deliveries. */
export const deliverQueue = "deliver"

/** The Redis hash of provider queues and their concurrency limits. Workers find custom providers' queues here. */
export const queuesKey = `${prefix}:queues`

/** The name of a provider's queue. */
export const speakQueue = (provider: ProviderId): string => `speak.${encodeURIComponent(provider)}`

/**
 * How long finished jobs are kept for a coordinator that may return, in seconds, and how many of a queue at most. A
 * coordinator that finds a job gone reads the result in the ledger or the share, or dispatches it again.
 */
const kept = { age: 3 * 86_400, count: 100_000 } as const

/** Options of every job of a fleet. */
export const jobOptions = { removeOnComplete: kept, removeOnFail: kept } as const

/** Opens a queue; it closes with the scope. */
export const opened = (name: string, client: Redis): Effect.Effect<Queue, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const options: QueueOptions = { connection: client, prefix, defaultJobOptions: jobOptions }
      const queue = new Queue(name, options)
      // The connection's owner reports its errors.
      queue.on("error", () => {})
      return queue
    }),
    (queue) => Effect.promise(() => queue.close().catch(() => {}))
  )
