/**
 * A worker's utterance store, fenced by the job's lock in Redis. Each change is written to the utterance's Redis job
 * before anything that depends on it. If another worker has taken over the job, the work on it ends at once; that
 * worker continues from the written record.
 */
import { Effect, Layer, Option, Schema } from "effect"
import type { Redis } from "ioredis"
import type { TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { SpeakPayload } from "./JobPayloads.ts"
import { jobKey, prefix, speakQueue } from "./Queues.ts"
import { Share } from "./Share.ts"

/** A job that this worker holds. */
export interface Hold {
  /** The job's key in Redis. */
  readonly jobKey: string
  /** The token of its lock. */
  readonly token: string
  readonly payload: SpeakPayload
}

const tasksKey = `${prefix}:tasks`

/** How long task ids are kept, in seconds. */
const tasksFor = 30 * 86_400

/** The Redis key that counts announced utterances with the same provider, voice and length. */
const likeKey = ({ casting, characters }: Utterance): string =>
  `${prefix}:announced:${digestOf([casting.provider, casting.voice, characters])}`

/** Lua script: writes a job's data if this worker still holds its lock, and extends the lock by the takeover time. */
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

/** Reads the record last written to an utterance's job; undefined if there is no readable one. */
export const writtenIn = async (
  client: Redis,
  { key, casting }: Utterance
): Promise<UtteranceRecord | undefined> =>
  Option.getOrUndefined(readParcel(await client.hget(jobKey(speakQueue(casting.provider), key), "data")))
    ?.record

/** Dependencies of the fenced store. */
export interface FencedStoreParts {
  readonly client: Redis
  /** Silence after which other workers take over this worker's jobs, in milliseconds. */
  readonly takeover: number
  /** The jobs that this worker holds. */
  readonly holds: Map<UtteranceKey, Hold>
}

/** Writes a record to its job. Returns false if another worker holds the job. */
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
      parcelText({ ...hold.payload, record }),
      takeover,
      record.state === "announced" ? "SADD" : "SREM",
      record.utterance.key,
      task ?? "",
      tasksFor
    )
  ).pipe(Effect.map((owned) => owned === 1))

/** Writes a held utterance's changed record to Redis. Interrupts the work if another worker holds the job. */
export const publish = (parts: FencedStoreParts, record: UtteranceRecord, task?: TaskId) =>
  Effect.gen(function* () {
    const hold = parts.holds.get(record.utterance.key)
    if (hold === undefined) return yield* Effect.interrupt
    if (!(yield* written(parts, hold, record, task))) return yield* Effect.interrupt
  })

/** Makes a worker's store, on top of a store that lives only as long as the process. */
export const fencedStore = (parts: FencedStoreParts) =>
  Layer.effect(
    UtteranceStore,
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const handover = yield* UtteranceTransfer
      const share = yield* Share
      const apply = (change: UtteranceChange) =>
        Effect.gen(function* () {
          yield* store.apply(change)
          const [record] = yield* handover.records([change.key])
          if (record === undefined)
            return yield* Effect.dieMessage("an utterance was removed from the store during the task")
          // A clip's record is stored beside it before the clip is published.
          if (change.event === "fetch") yield* share.keepRecord(record)
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
