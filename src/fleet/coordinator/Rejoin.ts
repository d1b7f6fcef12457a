/** Rejoins a batch before dispatching anything: finds its clips in the shared folder and its utterances in flight. */
import { Effect } from "effect"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { writtenIn } from "../shared/FencedStore.ts"

/** Utterances looked up concurrently. */
const atOnce = 200

/**
 * Copies the records of utterances from the shared folder and Redis into the run's state. Looks up each utterance once.
 */
export const rejoinBatch = Effect.fn("Rejoin.rejoinBatch")(function* (
  { client, callRedis: asked, share, handover, looked }: Coordinator,
  all: ReadonlyArray<Utterance>
) {
  const utterances = all.filter(({ key }) => !looked.has(key))
  for (const { key } of utterances) looked.add(key)
  const own = new Map(
    (yield* handover.records(utterances.map(({ key }) => key))).map((record) => [
      record.utterance.key,
      record
    ])
  )
  const found = yield* Effect.forEach(
    utterances.filter(({ key }) => !hasClip(own.get(key))),
    (utterance) =>
      Effect.gen(function* () {
        const { key } = utterance
        const spoken = yield* share.recordOf(key)
        if (spoken !== undefined) return spoken
        const written = yield* asked(() => writtenIn(client, utterance))
        return written !== undefined && isNews(written, own.get(key)) ? written : undefined
      }),
    { concurrency: atOnce }
  )
  yield* handover.takeOver(found.filter((record) => record !== undefined))
})

const hasClip = (record: UtteranceRecord | undefined): boolean =>
  record?.state === "fetched" || record?.state === "placed"

/** Whether the fleet's record is newer than the state's: not if the state has since retried an old failure. */
const isNews = (record: UtteranceRecord, own: UtteranceRecord | undefined): boolean =>
  own === undefined || record.state !== "failed" || own.state !== "planned" || record.take > own.take
