/** Rejoins a batch before dispatching anything: finds its clips in the share and its utterances in Redis. */
import { Effect } from "effect"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { readLedger } from "../shared/Ledger.ts"
import { isAhead } from "../shared/LedgerEntry.ts"
import { queuedJobs } from "./QueuedJobs.ts"

/**
 * Copies the records of utterances from the share and the ledger into the run's state. Looks up each utterance once. An
 * utterance with an unfinished job is not looked up in the share: its worker finds a clip there.
 */
export const rejoinBatch = Effect.fn("Rejoin.rejoinBatch")(function* (
  coordinator: Coordinator,
  all: ReadonlyArray<Utterance>
) {
  const { client, callRedis, share, handover, looked } = coordinator
  const utterances = all.filter(({ key }) => !looked.has(key))
  for (const { key } of utterances) looked.add(key)
  const store = yield* UtteranceStore
  const standings = yield* store.standings(utterances.map(({ key }) => key))
  const clipless = utterances.filter(({ key }) => !hasClip(standings.get(key)))
  const own = new Map(
    (yield* handover.records(clipless.map(({ key }) => key))).map((record) => [record.utterance.key, record])
  )
  const { unfinished } = yield* queuedJobs(coordinator, clipless)
  const idle = clipless.flatMap(({ key }) => (unfinished.has(key) ? [] : [key]))
  const spoken = yield* share.recordsOf(idle)
  const withClip = new Set(spoken.map(({ utterance }) => utterance.key))
  const rest = clipless.flatMap(({ key }) => (withClip.has(key) ? [] : [key]))
  const news = [...(yield* callRedis(() => readLedger(client, rest))).values()].filter(({ record }) =>
    isNews(record, own.get(record.utterance.key))
  )
  yield* handover.takeOver([...spoken, ...news.map(({ record }) => record)])
})

/** Whether the state has an utterance's clip. */
export const hasClip = (record: Pick<UtteranceRecord, "state"> | undefined): boolean =>
  record?.state === "fetched" || record?.state === "placed"

/** Whether the fleet's record is newer than the state's: not if the state has since paid for, or retried, a take. */
const isNews = (record: UtteranceRecord, own: UtteranceRecord | undefined): boolean =>
  own === undefined ||
  (!isAhead(own, record) && (record.state !== "failed" || own.state !== "planned" || record.take > own.take))
