/** Utterances put into their queues, and taken back where no worker has begun them. */
import { type FlowJob, FlowProducer, type Job } from "bullmq"
import { Array, Effect, Option, Schema } from "effect"
import type { ProviderId } from "../../domain/values/Ids.ts"
import type { JobPlan } from "../../pipeline/plan/BatchPlan.ts"
import type { SpeakRun } from "../../pipeline/speak/SpeakRun.ts"
import type { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { fullSpeed } from "../shared/FleetRateLimit.ts"
import { type Grant, SpeakPayload } from "../shared/JobPayloads.ts"
import { deliveryId, keepPlan } from "../shared/PlanFile.ts"
import { deliverQueue, jobOptions, prefix, speakQueue } from "../shared/Queues.ts"

/** One speak stage. */
export interface Stage extends Coordinator {
  readonly run: SpeakRun
  /** The name of the batch's terms. */
  readonly terms: string
  readonly jobs: ReadonlyArray<JobPlan>
  /** The folder of results. */
  readonly out: string
}

const writeParcel = Schema.encodeSync(SpeakPayload)
const readParcel = Schema.decodeUnknownOption(SpeakPayload)

/** Jobs of Redis that are asked about at once. */
const atOnce = 200

/** More starts a second than any worker makes: a queue's rate limit is there for the pauses that a service asks for. */
const unlimited = 1_000_000

/** What is known of a job's utterance. */
export const recordDispatched = (job: Job): UtteranceRecord | undefined =>
  Option.getOrUndefined(Option.map(readParcel(job.data), ({ record }) => record))

/** Opens a provider's queue with its limits, which hold for all workers together. */
export const limitQueues = ({ watch, client, run, asked }: Stage, provider: ProviderId) =>
  Effect.gen(function* () {
    const name = speakQueue(provider)
    const { concurrency, perSecond } = run.settings.profileOf(provider)
    const starts = perSecond === undefined ? unlimited : Math.max(1, Math.floor(perSecond))
    const queue = yield* watch.queue(name)
    yield* asked(async () => {
      await fullSpeed(client, queue, concurrency)
      await queue.setGlobalRateLimit(starts, perSecond === undefined ? 1_000 : (starts / perSecond) * 1_000)
    })
  })

/** Removes a job that no worker is at; its children stay. */
export const removeJobs = ({ asked }: Coordinator, job: Job) =>
  asked(() => job.remove({ removeChildren: false }).catch(() => {}))

/**
 * Which utterances have a job already, of this batch's earlier run or of another: they are waited for, not handed out
 * again.
 */
export const jobsInFlight = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(
      records,
      ({ utterance: { key, casting } }) =>
        Effect.gen(function* () {
          const queue = yield* stage.watch.queue(speakQueue(casting.provider))
          const job = yield* stage.asked(() => queue.getJob(key))
          if (job !== undefined && job.finishedOn === undefined) return [key]
          // What it came to is known: what is left to be done is a job of its own.
          if (job !== undefined) yield* removeJobs(stage, job)
          return []
        }),
      { concurrency: atOnce }
    )
    return new Set(found.flat())
  })

/**
 * Adds utterances to their queues: as children of the first delivery that needs them, where one can be made to wait for
 * them.
 */
export const dispatchUtterances = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const left = new Map(records.map((record) => [record.utterance.key, record]))
    const trees: globalThis.Array<FlowJob> = []
    for (const plan of stage.jobs) {
      // What a job's second takes are is known only when its first are there.
      if (plan.job.retake) continue
      const own = [...new Set(plan.uses.map(({ utterance }) => utterance.key))]
      const children = own.flatMap((key) => left.get(key) ?? [])
      if (children.length === 0) continue
      const delivery = yield* waitingDelivery(stage, plan)
      if (delivery === undefined) continue
      for (const { utterance } of children) left.delete(utterance.key)
      trees.push({ ...delivery, children: children.map((record) => jobOf(stage, record)) })
    }
    yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        const flow = new FlowProducer({ connection: stage.client, prefix })
        flow.on("error", () => {})
        return flow
      }),
      (flow) => Effect.forEach(trees, (tree) => stage.asked(() => flow.add(tree)), { discard: true }),
      (flow) => Effect.promise(() => flow.close().catch(() => {}))
    )
    const alone = Array.groupBy([...left.values()], ({ utterance }) => speakQueue(utterance.casting.provider))
    for (const [name, some] of Object.entries(alone)) {
      const queue = yield* stage.watch.queue(name)
      yield* stage.asked(() => queue.addBulk(some.map((record) => jobOf(stage, record))))
    }
  })

/**
 * A delivery that waits for utterances; undefined where one is under way already: that one looks for them by itself.
 */
const waitingDelivery = (stage: Stage, plan: JobPlan) =>
  Effect.gen(function* () {
    const { watch, share, out } = stage
    const id = deliveryId(share, out, plan)
    const queue = yield* watch.queue(deliverQueue)
    const known = yield* stage.asked(() => queue.getJob(id))
    if (known !== undefined && known.finishedOn === undefined) return undefined
    if (known !== undefined) yield* removeJobs(stage, known)
    return {
      name: plan.job.id,
      queueName: deliverQueue,
      data: { plan: yield* keepPlan(share, { plan, takes: [], out, failed: [] }) },
      opts: { jobId: id, ...jobOptions }
    }
  })

const jobOf = (stage: Stage, record: UtteranceRecord) => {
  const grant = grantOf(stage, record)
  return {
    name: record.label,
    queueName: speakQueue(record.utterance.casting.provider),
    data: writeParcel({
      terms: stage.terms,
      record,
      last: false,
      ...(grant === undefined ? {} : { grant })
    }),
    // A worker that failed at one utterance must not keep its job from being looked at.
    opts: { jobId: record.utterance.key, ignoreDependencyOnFailure: true, ...jobOptions }
  }
}

/** What a worker may spend: one take, where there is a limit. */
const grantOf = (
  { run }: Stage,
  { utterance: { casting, characters } }: UtteranceRecord
): Grant | undefined => {
  const price = run.price(casting)
  return run.budget.isLimited && price !== undefined ? { credits: price * characters, price } : undefined
}

/** Takes back what no worker has begun: deliveries that wait for utterances, then the utterances. */
export const withdrawUtterances = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const { watch, share, out, jobs } = stage
    const deliveries = yield* watch.queue(deliverQueue)
    yield* Effect.forEach(
      jobs,
      (plan) =>
        stage.asked(async () => {
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
      const waiting = yield* stage.asked(() => queue.getRanges(["wait", "delayed", "prioritized"], 0, -1))
      yield* Effect.forEach(
        waiting.filter((id) => own.has(id)),
        (id) => stage.asked(() => queue.remove(id, { removeChildren: false }).catch(() => 0)),
        { concurrency: atOnce, discard: true }
      )
    }
  })

/** Takes over how everything stands that a worker is at, for whoever asks before the next run. */
export const reviewHistory = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(
      records,
      ({ utterance: { key, casting } }) =>
        Effect.flatMap(stage.watch.queue(speakQueue(casting.provider)), (queue) =>
          stage.asked(() => queue.getJob(key))
        ),
      { concurrency: atOnce }
    )
    yield* stage.handover.takeOver(
      found.flatMap((job) => (job === undefined ? [] : (recordDispatched(job) ?? [])))
    )
  })
