/** What a coordinator that comes to a batch learns before it hands anything out: clips on the share, utterances under way. */
import { Effect, Schema } from "effect"
import type { Utterance } from "../domain/Utterance.ts"
import type { UtteranceRecord } from "../store/Handover.ts"
import type { Coordinator } from "./Coordinator.ts"
import { SpeakParcel } from "./Parcels.ts"
import { prefix, speakQueue } from "./Queues.ts"

const readParcel = Schema.decodeUnknownOption(Schema.parseJson(SpeakParcel))

/** Jobs that are read at once. */
const atOnce = 200

/** Takes over what the share and Redis know of utterances that were not asked about yet. */
export const learned = Effect.fn("Joining.learned")(function* (
  { client, asked, share, handover, looked }: Coordinator,
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
    ({ key, casting }) =>
      Effect.gen(function* () {
        const spoken = yield* share.recordOf(key)
        if (spoken !== undefined) return spoken
        const data = yield* asked(() =>
          client.hget(`${prefix}:${speakQueue(casting.provider)}:${key}`, "data")
        )
        const read = readParcel(data)
        return read._tag === "Some" && isNews(read.value.record, own.get(key)) ? read.value.record : undefined
      }),
    { concurrency: atOnce }
  )
  yield* handover.takeOver(found.filter((record) => record !== undefined))
})

const hasClip = (record: UtteranceRecord | undefined): boolean =>
  record?.state === "fetched" || record?.state === "placed"

/** Whether the fleet knows more than this state: not where a failure of the past was given another chance meanwhile. */
const isNews = (record: UtteranceRecord, own: UtteranceRecord | undefined): boolean =>
  own === undefined || record.state !== "failed" || own.state !== "planned" || record.take > own.take
