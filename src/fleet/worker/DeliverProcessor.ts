/** A worker's processor of deliveries: places and delivers one job with the clips in the share. */
import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Redis } from "ioredis"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { deliverToResult } from "../../pipeline/deliver/DeliveryOutcome.ts"
import { placeJob, settledJob } from "../../pipeline/place/JobPlacement.ts"
import type { JobResult } from "../../pipeline/report/JobResult.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import type { DeliverEnd, DeliverPayload } from "../shared/JobPayloads.ts"
import { readLedger } from "../shared/Ledger.ts"
import { keptPlan, type PlannedDelivery } from "../shared/PlanFile.ts"
import { Share } from "../shared/Share.ts"

/** Result of processing: ended, or too early because some utterances are not spoken yet. */
export type Delivered = { readonly _tag: "Ended"; readonly end: DeliverEnd } | { readonly _tag: "Early" }

/** Records read at once. */
const recordsAtOnce = 64

/** Makes the processor. */
export const makeDeliverProcessor = (client: Redis) =>
  Effect.gen(function* () {
    const share = yield* Share
    const handover = yield* UtteranceTransfer
    const fs = yield* FileSystem.FileSystem

    /** Reads the utterances' records: from beside their clips, else from the ledger. */
    const recordsOf = ({ plan, takes, failed }: PlannedDelivery) =>
      Effect.gen(function* () {
        const uses = new Map([...plan.uses, ...takes].map(({ utterance }) => [utterance.key, utterance]))
        const found = new Map<UtteranceKey, UtteranceRecord>(
          failed.map((record) => [record.utterance.key, record])
        )
        const beside = yield* Effect.forEach(
          uses.keys(),
          // A clip that is missing or incomplete shows when it is fetched.
          (key) =>
            Effect.map(
              share.recordOf(key, () => Effect.succeed(true)),
              (record) => [key, record] as const
            ),
          { concurrency: recordsAtOnce }
        )
        for (const [key, record] of beside) if (record !== undefined) found.set(key, record)
        const clipless = beside.flatMap(([key, record]) => (record === undefined ? [key] : []))
        for (const [key, { record }] of yield* Effect.promise(() => readLedger(client, clipless)))
          found.set(key, record)
        return { keys: [...uses.keys()], found }
      })

    return ({ plan: name }: DeliverPayload) =>
      Effect.gen(function* () {
        const planned = yield* keptPlan(share, name)
        const { plan, takes, out, inputs } = planned
        const { keys, found } = yield* recordsOf(planned)
        const firsts = new Set(plan.uses.map(({ utterance }) => utterance.key))
        const clipless = keys.filter((key) => firsts.has(key) && found.get(key)?.clip === undefined)
        if (clipless.some((key) => found.get(key)?.state !== "failed"))
          return { _tag: "Early" } satisfies Delivered
        if (clipless.length > 0 && plan.job.onFailure === "fail") return ended({ status: "incomplete" })
        yield* share.fetchClips(found.values())
        if (!(yield* share.files.fetchInputs(inputs)))
          return ended({
            status: "unfinished",
            error: "a film or background was deleted from the share; run again to send it again",
            looks: 0
          })
        yield* handover.takeOver([...found.values()])
        const settled = yield* settledJob(plan, takes, out, new Map())
        const result = yield* deliverToResult(yield* placeJob(settled))
        const results = yield* share.files.sendResults(name, out, plan.job.id)
        const end = yield* endOf(result, out, settled.digest)
        return ended(results === undefined ? end : { ...end, results })
      }).pipe(Effect.provideService(FileSystem.FileSystem, fs))
  })

const ended = (end: DeliverEnd): Delivered => ({ _tag: "Ended", end })

const endOf = Effect.fnUntraced(function* (result: JobResult, out: string, digest: string) {
  const path = yield* Path.Path
  const figures = {
    looks: result.looks,
    ...(result.metrics === undefined ? {} : { metrics: result.metrics }),
    ...(result.last === undefined ? {} : { last: result.last })
  }
  const end: DeliverEnd =
    result.status === "delivered"
      ? {
          ...figures,
          status: "delivered",
          digest,
          files: result.files.map((file) => path.relative(out, file))
        }
      : { ...figures, status: result.status, error: result.error }
  return end
})
