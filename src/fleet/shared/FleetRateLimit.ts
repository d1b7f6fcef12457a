/**
 * Adaptive concurrency of a whole fleet per provider, kept in Redis: reduced on a 429, raised again by each accepted
 * create (AIMD). Every worker reads and updates it.
 */
import type { Queue } from "bullmq"
import { Option, Schema } from "effect"
import type { Redis } from "ioredis"
import {
  increase,
  fullConcurrency,
  type AdaptiveConcurrency,
  decrease
} from "../../gateway/pacing/AdaptiveConcurrency.ts"
import { prefix, queuesKey } from "./Queues.ts"

const PaceText = Schema.parseJson(
  Schema.Struct({ window: Schema.Number, gap: Schema.Number, slowedAt: Schema.Number })
)
const read = Schema.decodeUnknownOption(PaceText)

const keyOf = ({ name }: Queue): string => `${prefix}:pace:${name}`

/** The manifest's concurrency limit of a queue. */
const limitOf = async (client: Redis, queue: Queue): Promise<number> =>
  Math.max(1, Number((await client.hget(queuesKey, queue.name)) ?? 1))

const known = async (client: Redis, queue: Queue): Promise<AdaptiveConcurrency | undefined> =>
  Option.getOrUndefined(read(await client.get(keyOf(queue))))

const keep = async (client: Redis, queue: Queue, pace: AdaptiveConcurrency): Promise<void> => {
  await client.set(keyOf(queue), JSON.stringify(pace))
  await queue.setGlobalConcurrency(Math.floor(pace.window))
}

/** Sets a queue's concurrency to the manifest's limit and resets the learned values. */
export const fullSpeed = async (client: Redis, queue: Queue, limit: number): Promise<void> => {
  await client.hset(queuesKey, queue.name, limit)
  await client.del(keyOf(queue))
  await queue.setGlobalConcurrency(limit)
}

/** Slows the fleet down after a 429: pauses the queue for `pause` ms and reduces its concurrency. */
export const slowFleet = async (client: Redis, queue: Queue, pause: number): Promise<void> => {
  const before = (await known(client, queue)) ?? fullConcurrency(await limitOf(client, queue))
  const pace = decrease(before, Date.now())
  await queue.rateLimit(Math.max(1, Math.ceil(pause), pace.gap))
  // The 429s of one burst count once, whichever workers received them.
  if (pace !== before) await keep(client, queue, pace)
}

/** Raises the concurrency after an accepted create, up to the manifest's limit. */
export const recoverFleet = async (client: Redis, queue: Queue): Promise<void> => {
  const before = await known(client, queue)
  if (before === undefined) return
  const limit = await limitOf(client, queue)
  const pace = increase(before, limit)
  if (pace.window < limit || pace.gap > 0) await keep(client, queue, pace)
  else await fullSpeed(client, queue, limit)
}
