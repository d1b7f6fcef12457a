/**
 * A worker's store of utterances. It decides as the store of a single machine does, being one; and what it has decided
 * is written into the utterance's job in Redis before anything that depends on it is done. Where the job is another
 * worker's by then, the work on it ends at once: the other goes on from what was written.
 */
import { Effect, Layer, Option, Schema } from "effect"
import type { Redis } from "ioredis"
import type { TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { SpeakPayload } from "./JobPayloads.ts"
import { jobKey, prefix, speakQueue } from "./Queues.ts"
import type { SharedFolder } from "./SharedFolder.ts"

/** A job in this worker's hands. */
export interface Hold {
  /** The job's key in Redis. */
  readonly jobKey: string
  /** The token of the lock on it. */
  readonly token: string
  readonly parcel: SpeakPayload
}

const tasksKey = `${prefix}:tasks`

/** How long tasks are remembered, in seconds. */
const tasksFor = 30 * 86_400

/** Where utterances are counted that look like this one to a service that repeats no labels. */
const likeKey = ({ casting, characters }: Utterance): string =>
  `${prefix}:announced:${checksumOf(JSON.stringify([casting.provider, casting.voice, characters]))}`

/** Writes a job's data where its lock is still this worker's, and holds it on for a whole turn from then on. */
const writing = `if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'data', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call(ARGV[4], KEYS[3], ARGV[5])
if ARGV[6] ~= '' then
  redis.call('SADD', KEYS[4], ARGV[6])
  redis.call('EXPIRE', KEYS[4], ARGV[7])
end
return 1`

const parcelText = Schema.encodeSync(Schema.parseJson(SpeakPayload))
const readParcel = Schema.decodeUnknownOption(Schema.parseJson(SpeakPayload))

/** What was last written into an utterance's job; undefined where there is none, or none that can be read. */
export const writtenIn = async (
  client: Redis,
  { key, casting }: Utterance
): Promise<UtteranceRecord | undefined> =>
  Option.getOrUndefined(readParcel(await client.hget(jobKey(speakQueue(casting.provider), key), "data")))
    ?.record

/** What the ledger is made of. */
export interface FencedStoreParts {
  readonly client: Redis
  readonly share: SharedFolder
  /** How long this worker may be silent before its jobs are another's, in milliseconds. */
  readonly takeover: number
  /** The jobs in this worker's hands. */
  readonly holds: Map<UtteranceKey, Hold>
}

/** Writes a job's data with a record; false where the job is another worker's. */
const written = (
  { client, takeover }: FencedStoreParts,
  hold: Hold,
  record: UtteranceRecord,
  task: TaskId | undefined
): Effect.Effect<boolean> =>
  Effect.promise(() =>
    client.eval(
      writing,
      4,
      hold.jobKey,
      `${hold.jobKey}:lock`,
      likeKey(record.utterance),
      tasksKey,
      hold.token,
      parcelText({ ...hold.parcel, record }),
      takeover,
      record.state === "announced" ? "SADD" : "SREM",
      record.utterance.key,
      task ?? "",
      tasksFor
    )
  ).pipe(Effect.map((owned) => owned === 1))

/** Puts a changed record of a held utterance where the fleet sees it. */
export const publish = (parts: FencedStoreParts, record: UtteranceRecord, task?: TaskId) =>
  Effect.gen(function* () {
    const hold = parts.holds.get(record.utterance.key)
    if (hold === undefined) return yield* Effect.interrupt
    if (!(yield* written(parts, hold, record, task))) return yield* Effect.interrupt
  })

/** The store of a worker; over one that is gone with the process. */
export const fencedStore = (parts: FencedStoreParts) =>
  Layer.effect(
    UtteranceStore,
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const handover = yield* UtteranceTransfer
      const apply = (change: UtteranceChange) =>
        Effect.gen(function* () {
          yield* store.apply(change)
          const [record] = yield* handover.records([change.key])
          if (record === undefined) return yield* Effect.dieMessage("an utterance was forgotten in between")
          // A clip's record lies beside it before anybody is told of it.
          if (change.event === "fetch") yield* parts.share.keepRecord(record)
          yield* publish(parts, record, "task" in change ? change.task : undefined)
        })
      const ours = (tasks: ReadonlyArray<TaskId>) =>
        Effect.promise(async () => {
          const known = tasks.length === 0 ? [] : await parts.client.smismember(tasksKey, ...tasks)
          return new Set<string>(tasks.filter((_, at) => known[at] === 1))
        })
      const announcedLike = (utterance: Utterance) =>
        Effect.promise(() => parts.client.scard(likeKey(utterance)))
      return UtteranceStore.make({ ...store, apply, ours, announcedLike })
    })
  )
