/**
 * A worker's utterance store, fenced by the ledger. Each change is written to the ledger before anything that depends
 * on it. If another worker has taken the utterance over, the work on it ends at once; that worker continues from the
 * written record.
 */
import { Effect, Layer } from "effect"
import type { Redis } from "ioredis"
import type { TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { edition, type SpeakPayload } from "../shared/JobPayloads.ts"
import { lateAnswer, likeKey, tasksKey, writeLedger } from "../shared/Ledger.ts"
import { Share } from "../shared/Share.ts"

/** A job whose ledger entry this worker has taken. */
export interface Hold {
  /** The name that a write to the entry must give. */
  readonly holder: string
  readonly payload: SpeakPayload
}

/** Dependencies of the fenced store. */
export interface FencedStoreParts {
  readonly client: Redis
  /** The jobs that this worker holds. */
  readonly holds: Map<UtteranceKey, Hold>
}

/** Writes a held utterance's changed record to the ledger. Interrupts the work if another worker has taken it over. */
export const publish = (
  { client, holds }: FencedStoreParts,
  record: UtteranceRecord,
  { isAnnounced = false, task }: { readonly isAnnounced?: boolean; readonly task?: TaskId } = {}
) =>
  Effect.gen(function* () {
    const hold = holds.get(record.utterance.key)
    if (hold === undefined) return yield* Effect.interrupt
    const { dispatch, last } = hold.payload
    const entry = { edition, dispatch, record, last } as const
    if (!(yield* writeLedger(client, { holder: hold.holder, entry, isAnnounced, task })))
      return yield* Effect.interrupt
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
          yield* publish(parts, record, {
            isAnnounced: change.event === "announce",
            ...("task" in change ? { task: change.task } : {})
          })
        })
      const ours = (tasks: ReadonlyArray<TaskId>) =>
        Effect.promise(async () => {
          const known = tasks.length === 0 ? [] : await parts.client.smismember(tasksKey, ...tasks)
          return new Set<string>(tasks.filter((_, at) => known[at] === 1))
        })
      const announcedLike = (utterance: Utterance) =>
        Effect.promise(() => parts.client.scard(likeKey(utterance)))
      const answeredElsewhere = (key: UtteranceKey, take: number) =>
        Effect.map(
          Effect.promise(() => lateAnswer(parts.client, key)),
          (late) => (late?.take === take ? { task: late.task, credits: late.credits } : undefined)
        )
      return UtteranceStore.make({ ...store, apply, ours, announcedLike, answeredElsewhere })
    })
  )
