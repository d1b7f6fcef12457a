/** A record and a payload of one utterance, and a Redis, for tests of the ledger. */
import { Effect } from "effect"
import { Redis } from "ioredis"
import { TaskId } from "../../src/domain/values/Ids.ts"
import { edition, type SpeakPayload } from "../../src/fleet/shared/JobPayloads.ts"
import type { UtteranceRecord } from "../../src/store/tables/UtteranceTransfer.ts"
import { utterances } from "../hostile/Batch.ts"
import { RedisServer } from "./RedisServer.ts"

const [first] = utterances(1)
if (first === undefined) throw new Error("expected one utterance")
export const utterance = first
export const { key } = first

/** An utterance that was never sent. */
export const planned: UtteranceRecord = {
  utterance,
  label: "ep01 #1",
  state: "planned",
  take: 1,
  rerolls: 0,
  losses: 0,
  tasks: []
}

export const task = TaskId.make("task-1")

/** The utterance, sent as a task. */
export const submitted: UtteranceRecord = {
  ...planned,
  state: "submitted",
  task,
  tasks: [{ task, take: 1, adopted: false, madeAt: 0 }]
}

export const payload: SpeakPayload = {
  edition,
  terms: "0".repeat(64),
  dispatch: "first",
  record: planned,
  last: false
}

/** A Redis server with a client. */
export const redisWithClient = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => RedisServer.start()),
    (server) => Effect.promise(() => server.stop())
  )
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new Redis(server.url, { maxRetriesPerRequest: null })),
    (client) => Effect.sync(() => client.disconnect())
  )
  return { server, client }
})
