/**
 * The ledger of a fleet: a Redis hash per utterance with its fence, its record, and when its create was announced. It
 * is the only data in Redis that money depends on. Its keys are its own. BullMQ's keys only decide which worker works
 * on what, and may be wrong about it.
 *
 * A worker takes an entry before it works on the utterance. That raises the entry's fence and makes the worker its only
 * holder. Every write names the holder, and Redis refuses it if the worker is not the holder any more. So an utterance
 * is paid for once, whatever the queue does:
 *
 * - A worker that stalls before `announce` is refused when it wakes: nothing is sent.
 * - A worker that stalls after `announce` and before the create sends nothing when it wakes: a create that does not
 *   leave within 10 s of its announcement is not sent (`pipeline/speak/TaskCreation.ts`).
 * - A worker that stalls or dies after its create was sent, or loses Redis: the next holder finds the utterance
 *   announced. It searches the service's history, and creates only if the task is absent 30 s after the announcement.
 *   Redis measures that time, so the machines' clocks do not matter.
 * - If the first worker gets the response after all, its write is refused, but the task's id is kept beside the record.
 *   The next holder's search finds it there, also if the service's history has no labels.
 * - A worker that dies after `accept` has left the task's id in the record. The next holder polls that task.
 * - A write that is sent again after a lost connection has the same effect as once. So has a take: the last reply names
 *   the holder.
 * - If Redis loses its last writes, a fence may be given out twice. Holders have random names, so only one is accepted.
 * - If an entry is removed or expires, writes to it are refused: a late worker cannot start it anew. Only `take` makes
 *   entries. A job that is older than an entry's lifetime is returned to its run.
 */
import { randomUUID } from "node:crypto"
import { Array, Effect, Either, Option, Schema } from "effect"
import type { Redis } from "ioredis"
import type { TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import type { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { JobUnusable, versionMismatch } from "./FleetErrors.ts"
import { isOver, LateAnswer, type LedgerEntry, readEntry, writeEntry } from "./LedgerEntry.ts"
import { prefix } from "./Queues.ts"
import { isConnectionLost, refusedRequest, resent } from "./Redis.ts"

/** How long an entry, or a task id, is kept after the last write, in seconds. */
export const ledgerFor = 30 * 86_400

const ledgerKey = (key: UtteranceKey): string => `${prefix}:ledger:${key}`

/** The Redis set of the fleet's task ids. */
export const tasksKey = `${prefix}:tasks`

/** The Redis set of utterances in doubt with the same provider, voice and length. */
export const likeKey = ({ casting, characters }: Utterance): string =>
  `${prefix}:announced:${digestOf([casting.provider, casting.voice, characters])}`

/** Entries read, and entries removed, in one request. */
const atOnce = 500

/** Raises the fence. Returns the holder's name, the entry, milliseconds since its announcement, and late answers. */
const taking = `local holder = redis.call('HINCRBY', KEYS[1], 'fence', 1) .. ':' .. ARGV[1]
redis.call('HSET', KEYS[1], 'holder', holder)
redis.call('HDEL', KEYS[1], 'over')
redis.call('EXPIRE', KEYS[1], ARGV[2])
local now = redis.call('TIME')
local announced = tonumber(redis.call('HGET', KEYS[1], 'announced') or '')
return {holder, redis.call('HGET', KEYS[1], 'entry') or '',
  announced and math.max(0, now[1] * 1000 + math.floor(now[2] / 1000) - announced) or -1,
  redis.call('HGET', KEYS[1], 'late') or ''}`

/** Writes an entry if the holder still holds it. Otherwise keeps only the answer to its create. */
const writing = `if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then
  if ARGV[8] ~= '' then
    redis.call('HSET', KEYS[1], 'late', ARGV[8])
    redis.call('EXPIRE', KEYS[1], ARGV[3])
  end
  return 0
end
redis.call('HSET', KEYS[1], 'entry', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], 'over', 1) end
redis.call(ARGV[5], KEYS[2], ARGV[6])
redis.call('EXPIRE', KEYS[2], ARGV[3])
if ARGV[9] == 'announce' then
  local now = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'announced', now[1] * 1000 + math.floor(now[2] / 1000))
end
if ARGV[7] ~= '' then
  redis.call('SADD', KEYS[3], ARGV[7])
  redis.call('EXPIRE', KEYS[3], ARGV[3])
end
return 1`

/** Removes the entries of utterances that are over and that nobody has taken since. */
const dropping = `for _, key in ipairs(KEYS) do
  if redis.pcall('HGET', key, 'over') == '1' then redis.call('DEL', key) end
end`

const Taken = Schema.Tuple(Schema.NonEmptyString, Schema.String, Schema.Number, Schema.String)
const readTaken = Schema.decodeUnknownOption(Taken)
const LateText = Schema.parseJson(LateAnswer)
const writeLate = Schema.encodeSync(LateText)
const readLate = Schema.decodeUnknownOption(LateText)

/** Whether Redis refused a request because of the value of its key. */
const isOfValue = (error: unknown): boolean =>
  error instanceof Error && /WRONGTYPE|not an integer|would overflow/u.test(error.message)

/** Takes an utterance's entry. Fails if another version wrote it, if it is unreadable, or if Redis is full. */
export const takeEntry = (client: Redis, key: UtteranceKey) =>
  Effect.gen(function* () {
    const name = ledgerKey(key)
    const answer = yield* resent(
      Effect.tryPromise(() => client.eval(taking, 1, name, randomUUID(), ledgerFor))
    ).pipe(
      Effect.mapError(({ error }) => (isOfValue(error) ? unreadable(name) : refusedRequest("Redis", error)))
    )
    const taken = readTaken(answer)
    if (Option.isNone(taken)) return yield* unreadable(name)
    const [holder, text, age, late] = taken.value
    const entry = text === "" ? undefined : readEntry(text)
    if (entry !== undefined && Either.isLeft(entry))
      return yield* entry.left === "version" ? versionMismatch("Redis", name) : unreadable(name)
    return {
      holder,
      entry: entry?.right,
      announcedFor: age < 0 ? undefined : age,
      late: Option.getOrUndefined(readLate(late))
    }
  })

/** Whether a create of the utterance may have made a task that is not known. */
const isInDoubt = ({ state, setback }: UtteranceRecord): boolean =>
  state === "announced" || (state === "failed" && setback?.kind === "undecidable")

/** A change to write. */
export interface LedgerWrite {
  readonly holder: string
  readonly entry: LedgerEntry
  /** Whether the change announces a create. */
  readonly isAnnounced: boolean
  /** The task that the change adds, if it does. */
  readonly task: TaskId | undefined
}

/** Writes an entry. Returns false if the holder does not hold it any more. */
export const writeLedger = (client: Redis, { holder, entry, isAnnounced, task }: LedgerWrite) => {
  const { record } = entry
  const { utterance, take, tasks } = record
  const credits = tasks.find((one) => one.task === task)?.credits
  return Effect.promise(() =>
    client.eval(
      writing,
      3,
      ledgerKey(utterance.key),
      likeKey(utterance),
      tasksKey,
      holder,
      writeEntry(entry),
      ledgerFor,
      isOver(record) ? "1" : "",
      isInDoubt(record) ? "SADD" : "SREM",
      utterance.key,
      task ?? "",
      task === undefined ? "" : writeLate({ take, task, ...(credits === undefined ? {} : { credits }) }),
      isAnnounced ? "announce" : ""
    )
  ).pipe(Effect.map((held) => held === 1))
}

/** Reads the answer that an earlier holder's create got too late. */
export const lateAnswer = async (client: Redis, key: UtteranceKey): Promise<LateAnswer | undefined> =>
  Option.getOrUndefined(readLate(await client.hget(ledgerKey(key), "late")))

/** Reads the entries of utterances. Unreadable entries are left to the workers. Rejects if the connection is lost. */
export const readLedger = async (client: Redis, keys: ReadonlyArray<UtteranceKey>) => {
  const found = new Map<UtteranceKey, LedgerEntry>()
  for (const some of Array.chunksOf(keys, atOnce)) {
    const read = client.pipeline()
    for (const key of some) read.hget(ledgerKey(key), "entry")
    const answers = (await read.exec()) ?? []
    for (const [at, key] of some.entries()) {
      const [error, text] = answers[at] ?? []
      if (isConnectionLost(error)) throw error
      const entry = typeof text === "string" ? readEntry(text) : undefined
      if (entry !== undefined && Either.isRight(entry)) found.set(key, entry.right)
    }
  }
  return found
}

/** Removes the entries of utterances that are over. */
export const dropEntries = async (client: Redis, keys: Iterable<UtteranceKey>): Promise<void> => {
  for (const some of Array.chunksOf([...keys], atOnce))
    await client.eval(dropping, some.length, ...some.map(ledgerKey))
}

const unreadable = (name: string): JobUnusable =>
  new JobUnusable({
    words: `Redis: ${name} is unreadable, and may record a paid task; delete the key to speak the line again`
  })
