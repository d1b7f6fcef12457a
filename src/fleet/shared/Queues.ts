/** The queues of a fleet: one for each provider's utterances, one for deliveries. */
import { Queue, type QueueOptions } from "bullmq"
import { Effect, type Scope } from "effect"
import type { Redis } from "ioredis"
import type { ProviderId } from "../../domain/values/Ids.ts"

/** What all of a fleet's keys in Redis begin with. */
export const prefix = "dubwright"

/** Deliveries. */
export const deliverQueue = "deliver"

/**
 * Which queues of providers there are, with the manifest's limit of each: workers look here for those that they do not
 * know by name.
 */
export const queuesKey = `${prefix}:queues`

/** A provider's queue. */
export const speakQueue = (provider: ProviderId): string => `speak.${encodeURIComponent(provider)}`

/** The key of a queue's job in Redis. */
export const jobKey = (queue: string, id: string): string => `${prefix}:${queue}:${id}`

/** What is finished is kept this long for a coordinator that may come back, in seconds. */
const keptFor = 3 * 86_400

/** What every job of a fleet is added with. */
export const jobOptions = { removeOnComplete: { age: keptFor }, removeOnFail: { age: keptFor } } as const

/** Opens a queue for as long as the scope. */
export const opened = (name: string, client: Redis): Effect.Effect<Queue, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const options: QueueOptions = { connection: client, prefix, defaultJobOptions: jobOptions }
      const queue = new Queue(name, options)
      // What is wrong with the connection is told by whoever made it.
      queue.on("error", () => {})
      return queue
    }),
    (queue) => Effect.promise(() => queue.close().catch(() => {}))
  )
