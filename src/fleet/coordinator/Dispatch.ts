/** Adds utterances to their queues, and withdraws those that no worker has started. */
import { randomUUID } from "node:crypto"
import { type FlowJob, FlowProducer, type Job } from "bullmq"
import { Array, Effect, Option, Schema } from "effect"
import type { LanguageTag, ProviderId } from "../../domain/values/Ids.ts"
import type { JobPlan } from "../../pipeline/plan/BatchPlan.ts"
import { RunSpending } from "../../pipeline/speak/services/RunSpending.ts"
import { SpeakConfig } from "../../pipeline/speak/SpeakSettings.ts"
import type { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { queuedJobs } from "./QueuedJobs.ts"
import { hasClip } from "./Rejoin.ts"
import { fullSpeed } from "../shared/FleetRateLimit.ts"
import { edition, type Grant, SpeakPayload } from "../shared/JobPayloads.ts"
import { readLedger } from "../shared/Ledger.ts"
import { isAhead, isContinued } from "../shared/LedgerEntry.ts"
import { deliveryId, filmsOf, keepPlan } from "../shared/PlanFile.ts"
import { deliverQueue, jobOptions, prefix, speakQueue } from "../shared/Queues.ts"

/** One speak stage. */
export interface Stage extends Coordinator {
  /** Name of the file with the batch's terms. */
  readonly terms: string
  readonly jobs: ReadonlyArray<JobPlan>
  /** The output folder. */
  readonly out: string
}

const writeParcel = Schema.encodeSync(SpeakPayload)
const readParcel = Schema.decodeUnknownOption(SpeakPayload)

/** Redis jobs looked up concurrently. */
const atOnce = 200

/** Deliveries prepared concurrently. */
const plansAtOnce = 16

/** About how many jobs are added in one transaction, during which Redis serves nobody else. */
const addedAtOnce = 500

/** More starts per second than any worker makes. Without a limit, the queue's rate limit serves only for pauses. */
const unlimited = 1_000_000

/** Returns the newest records of jobs: the ledger's, or those with which they were dispatched. */
export const recordsOfJobs = (
  { client, callRedis }: Pick<Coordinator, "client" | "callRedis">,
  jobs: ReadonlyArray<Job>
) =>
  Effect.gen(function* () {
    const sent = jobs.flatMap((job) => Option.toArray(readParcel(job.data)))
    const entries = yield* callRedis(() =>
      readLedger(
        client,
        sent.map(({ record }) => record.utterance.key)
      )
    )
    return sent.map((payload) => {
      const entry = entries.get(payload.record.utterance.key)
      return entry !== undefined && isContinued(payload, entry) ? entry.record : payload.record
    })
  })

/** Opens a provider's queue and sets its limits, which apply to all workers together. */
export const limitQueues = ({ watch, client, callRedis }: Stage, provider: ProviderId) =>
  Effect.gen(function* () {
    const name = speakQueue(provider)
    const { concurrency, perSecond } = (yield* SpeakConfig).profileOf(provider)
    const starts = perSecond === undefined ? unlimited : Math.max(1, Math.floor(perSecond))
    const queue = yield* watch.queue(name)
    yield* callRedis(async () => {
      await fullSpeed(client, queue, concurrency)
      await queue.setGlobalRateLimit(starts, perSecond === undefined ? 1_000 : (starts / perSecond) * 1_000)
    })
  })

/** Removes a job that no worker is processing; its children stay. */
export const removeJobs = ({ callRedis }: Coordinator, job: Job) =>
  callRedis(() => job.remove({ removeChildren: false }).catch(() => {}))

/**
 * Returns the utterances that already have a job, from an earlier run or another batch, that is unfinished, or that has
 * ended since its record was read. They are awaited, not dispatched again.
 */
export const jobsInFlight = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const { unfinished, ended } = yield* queuedJobs(
      stage,
      records.map(({ utterance }) => utterance)
    )
    const [idle, joined] = Array.partition(records, ({ utterance }) => unfinished.has(utterance.key))
    const found = yield* Effect.filter(
      idle.filter(({ utterance }) => ended.has(utterance.key)),
      (record) =>
        Effect.gen(function* () {
          const { key, casting } = record.utterance
          const queue = yield* stage.watch.queue(speakQueue(casting.provider))
          const job = yield* stage.callRedis(() => queue.getJob(key))
          if (job?.finishedOn === undefined) return job !== undefined
          const [written] = yield* recordsOfJobs(stage, [job])
          if (isAhead(written, record) || (yield* isSpoken(stage, written, record))) return true
          // Its result is already recorded; the remaining work needs a new job.
          yield* removeJobs(stage, job)
          return false
        }),
      { concurrency: atOnce }
    )
    return new Set([...joined, ...found].map(({ utterance }) => utterance.key))
  })

/** Whether a written record holds an undamaged clip of the take that the run's record lacks. */
const isSpoken = ({ share }: Stage, written: UtteranceRecord | undefined, own: UtteranceRecord) =>
  written?.clip !== undefined && written.take >= own.take && !hasClip(own)
    ? Effect.map(share.recordOf(own.utterance.key), (record) => record !== undefined)
    : Effect.succeed(false)

/** Adds utterances to their queues, as children of the first delivery that needs them if one can be added. */
export const dispatchUtterances = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const spending = yield* RunSpending
    const { languageOf } = yield* SpeakConfig
    const jobFor = (record: UtteranceRecord) =>
      jobOf(stage, spending, record, languageOf(record.utterance.key))
    const left = new Map(records.map((record) => [record.utterance.key, record]))
    // A job's second takes are known only after its first takes.
    const wanted = stage.jobs.filter(
      (plan) =>
        !waitsForAll(plan) &&
        !waitsForFilms(stage, plan) &&
        plan.uses.some(({ utterance }) => left.has(utterance.key))
    )
    const deliveries = yield* Effect.forEach(
      wanted,
      (plan) => Effect.map(waitingDelivery(stage, plan), (delivery) => ({ plan, delivery })),
      { concurrency: plansAtOnce }
    )
    const trees: globalThis.Array<FlowJob & { readonly children: globalThis.Array<FlowJob> }> = []
    for (const { plan, delivery } of deliveries) {
      const own = [...new Set(plan.uses.map(({ utterance }) => utterance.key))]
      const children = own.flatMap((key) => left.get(key) ?? [])
      if (delivery === undefined || children.length === 0) continue
      for (const { utterance } of children) left.delete(utterance.key)
      trees.push({ ...delivery, children: children.map(jobFor) })
    }
    yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        const flow = new FlowProducer({ connection: stage.client, prefix })
        flow.on("error", () => {})
        return flow
      }),
      (flow) =>
        Effect.forEach(bundled(trees), (bundle) => stage.callRedis(() => flow.addBulk(bundle)), {
          discard: true
        }),
      (flow) => Effect.promise(() => flow.close().catch(() => {}))
    )
    const alone = Array.groupBy([...left.values()], ({ utterance }) => speakQueue(utterance.casting.provider))
    for (const [name, some] of Object.entries(alone)) {
      const queue = yield* stage.watch.queue(name)
      for (const bundle of Array.chunksOf(some, addedAtOnce))
        yield* stage.callRedis(() => queue.addBulk(bundle.map(jobFor)))
    }
  })

/** Groups trees into transactions of about `addedAtOnce` jobs. */
const bundled = <A extends { readonly children: ReadonlyArray<unknown> }>(trees: ReadonlyArray<A>) => {
  const bundles: globalThis.Array<globalThis.Array<A>> = []
  let jobs = addedAtOnce
  for (const tree of trees) {
    if (jobs >= addedAtOnce) {
      bundles.push([])
      jobs = 0
    }
    bundles.at(-1)?.push(tree)
    jobs += tree.children.length
  }
  return bundles
}

/** Whether a job may change after all its lines are spoken. */
const waitsForAll = ({ job }: JobPlan): boolean =>
  job.retake || job.listen !== undefined || job.rewrite !== undefined

/** Whether films must be sent before a job can be delivered. Its lines are spoken meanwhile. */
const waitsForFilms = ({ share }: Stage, { job }: JobPlan): boolean =>
  share.clips.missing !== undefined && filmsOf(job).length > 0

/**
 * Builds a delivery that waits for utterances. Undefined if one is already in flight, because that one finds them
 * itself.
 */
const waitingDelivery = (stage: Stage, plan: JobPlan) =>
  Effect.gen(function* () {
    const { watch, share, out } = stage
    const id = deliveryId(share, out, plan)
    const queue = yield* watch.queue(deliverQueue)
    const known = yield* stage.callRedis(() => queue.getJob(id))
    if (known !== undefined && known.finishedOn === undefined) return undefined
    if (known !== undefined) yield* removeJobs(stage, known)
    return {
      name: plan.job.id,
      queueName: deliverQueue,
      data: { plan: yield* keepPlan(share, { plan, takes: [], out, failed: [] }) },
      opts: { jobId: id, ...jobOptions }
    }
  })

const jobOf = (
  stage: Stage,
  spending: RunSpending["Type"],
  record: UtteranceRecord,
  language: LanguageTag | undefined
) => {
  const grant = grantOf(spending, record)
  return {
    name: record.label,
    queueName: speakQueue(record.utterance.casting.provider),
    data: writeParcel({
      edition,
      terms: stage.terms,
      dispatch: randomUUID(),
      record,
      ...(language === undefined ? {} : { language }),
      last: false,
      ...(grant === undefined ? {} : { grant })
    }),
    // The delivery must be processed even if an utterance's job fails.
    opts: { jobId: record.utterance.key, ignoreDependencyOnFailure: true, ...jobOptions }
  }
}

/** Returns a worker's budget: the price of one take, if the batch's budget is limited. */
const grantOf = (
  { isLimited, price: priceOf }: RunSpending["Type"],
  { utterance: { casting, characters } }: UtteranceRecord
): Grant | undefined => {
  const price = priceOf(casting)
  return isLimited && price !== undefined ? { credits: price * characters, price } : undefined
}

/** Withdraws what no worker has started: deliveries that wait for utterances, then the utterances. */
export const withdrawUtterances = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const { watch, share, out, jobs } = stage
    const deliveries = yield* watch.queue(deliverQueue)
    yield* Effect.forEach(
      jobs,
      (plan) =>
        stage.callRedis(async () => {
          const job = await deliveries.getJob(deliveryId(share, out, plan))
          if ((await job?.isWaitingChildren()) === true)
            await job?.remove({ removeChildren: false }).catch(() => {})
        }),
      { concurrency: atOnce, discard: true }
    )
    const own = new Set<string>(records.map(({ utterance }) => utterance.key))
    const providers = new Set(records.map(({ utterance }) => utterance.casting.provider))
    for (const provider of providers) {
      const queue = yield* watch.queue(speakQueue(provider))
      const waiting = yield* stage.callRedis(() => queue.getRanges(["wait", "delayed", "prioritized"], 0, -1))
      yield* Effect.forEach(
        waiting.filter((id) => own.has(id)),
        (id) => stage.callRedis(() => queue.remove(id, { removeChildren: false }).catch(() => 0)),
        { concurrency: atOnce, discard: true }
      )
    }
  })

/** Copies the state of all utterances in Redis into the run's state, so that `status` is current after the run. */
export const reviewHistory = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(
      records,
      ({ utterance: { key, casting } }) =>
        Effect.flatMap(stage.watch.queue(speakQueue(casting.provider)), (queue) =>
          stage.callRedis(() => queue.getJob(key))
        ),
      { concurrency: atOnce }
    )
    yield* stage.handover.takeOver(
      yield* recordsOfJobs(
        stage,
        found.filter((job) => job !== undefined)
      )
    )
  })
