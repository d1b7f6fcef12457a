/**
 * The coordinator of a fleet. It dispatches a batch as BullMQ flows, each a delivery with its utterances as children.
 * It copies the workers' results into its own state, and makes the run's decisions about spending and stopping.
 */
import { Path, type FileSystem } from "@effect/platform"
import type { Job } from "bullmq"
import { Effect, Duration, Option, Schedule, Schema } from "effect"
import type { BatchPlan, JobPlan } from "../../pipeline/plan/BatchPlan.ts"
import type { RunExecutor } from "../../pipeline/run/RunExecutor.ts"
import { Progress, emit, warn } from "../../pipeline/Progress.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import {
  recordsOfJobs,
  removeJobs,
  dispatchUtterances,
  limitQueues,
  reviewHistory,
  type Stage,
  jobsInFlight,
  withdrawUtterances
} from "./Dispatch.ts"
import { rejoinBatch } from "./Rejoin.ts"
import {
  readDeliverEnd,
  type JobNews,
  type DeliverEnd,
  edition,
  SpeakEnd,
  Terms
} from "../shared/JobPayloads.ts"
import { dropEntries, readLedger } from "../shared/Ledger.ts"
import { filmsOf, deliveryId, keepPlan, keptPlan } from "../shared/PlanFile.ts"
import { deliverQueue, speakQueue } from "../shared/Queues.ts"
import { askRedis, type FleetRedis } from "../shared/Redis.ts"
import { Share } from "../shared/Share.ts"
import { makeJobWatcher } from "./JobWatcher.ts"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { deliverToResult, keepDelivery, reportUndelivered } from "../../pipeline/deliver/DeliveryOutcome.ts"
import { outdateDelivery } from "../../pipeline/deliver/DeliveryRecord.ts"
import { recordDelivery } from "../../pipeline/deliver/JobDelivery.ts"
import { fingerprintOf } from "../../pipeline/place/JobFingerprint.ts"
import { keysOf, placeJob, settledJob } from "../../pipeline/place/JobPlacement.ts"
import { type JobResult, reportFigures } from "../../pipeline/report/JobResult.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { isUnderWay } from "../../domain/task/UtteranceState.ts"
import { RunSpending } from "../../pipeline/speak/services/RunSpending.ts"
import { ServiceWatch } from "../../pipeline/speak/services/ServiceWatch.ts"
import { SpeakCounters } from "../../pipeline/speak/services/SpeakCounters.ts"
import { speakServices, speakSummary } from "../../pipeline/speak/services/SpeakServices.ts"
import { StopSignal } from "../../pipeline/speak/services/StopSignal.ts"
import { SpeakConfig, type SpeakSettings } from "../../pipeline/speak/SpeakSettings.ts"
import { requeueDamagedClips, UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { isAhead } from "../shared/LedgerEntry.ts"

/** Maximum deliveries awaited at once. The workers limit how many are made concurrently. */
const manyDeliveries = 10_000

/** Finished jobs removed concurrently. */
const removedAtOnce = 200

/** Makes the run executor that uses a fleet, and copies the fleet's records of `utterances`. Lives with the scope. */
export const fleetExecutor = (
  { client, name }: FleetRedis,
  { utterances, jobs }: Pick<BatchPlan, "utterances" | "jobs">
) =>
  Effect.gen(function* () {
    const share = yield* Share
    const handover = yield* UtteranceTransfer
    const progress = yield* Progress
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const callRedis = <A>(ask: () => Promise<A>) => askRedis(name, ask)
    const seen = (jobs: ReadonlyArray<Job>) => {
      const under = jobs.filter(({ finishedOn }) => finishedOn === undefined)
      // A failure to record is ignored here: the next write reports it.
      return Effect.option(
        Effect.flatMap(recordsOfJobs({ client, callRedis }, under), (records) => handover.takeOver(records))
      )
    }
    const heard = (news: JobNews) => progress.emit(news)
    const watch = yield* makeJobWatcher({ client, callRedis, seen, heard })
    const done: Array<Job> = []
    const coordinator: Coordinator = {
      client,
      callRedis,
      share,
      watch,
      handover,
      done,
      looked: new Set(),
      providers: new Set(),
      stopping: { now: false }
    }
    yield* Effect.addFinalizer((exit) =>
      exit._tag === "Success"
        ? Effect.forEach(
            done,
            (job) =>
              Effect.promise(() => job.remove({ removeChildren: false }).catch(() => {})).pipe(
                Effect.zipRight(
                  job.queueName === deliverQueue ? share.files.dropResults(job.data.plan) : Effect.void
                )
              ),
            { concurrency: removedAtOnce, discard: true }
          ).pipe(
            Effect.zipRight(Effect.promise(() => dropEntries(client, coordinator.looked).catch(() => {})))
          )
        : Effect.void
    )
    // Films are sent while lines are spoken. A failure is reported when the delivery needs the film.
    yield* Effect.forkScoped(Effect.ignore(share.files.sendInputs(jobs.flatMap(({ job }) => filmsOf(job)))))
    yield* rejoinBatch(coordinator, utterances)
    return {
      speak: (settings, plan) => speakBy(coordinator, settings, plan),
      deliver: (plan, takes, out, past) =>
        Effect.provide(deliverBy(coordinator, plan, takes, out, past), services),
      deliveriesAtOnce: manyDeliveries
    } satisfies RunExecutor
  })

/** Delivers a job through the fleet. If it is unchanged or cannot be delivered, handles it on this machine instead. */
const deliverBy = (
  coordinator: Coordinator,
  plan: JobPlan,
  takes: ReadonlyArray<UtteranceUse>,
  out: string,
  past: ReadonlyMap<string, Delivery>
) =>
  Effect.gen(function* () {
    const { share, watch, handover, done, callRedis, stopping } = coordinator
    const { join } = yield* Path.Path
    const settled = yield* settledJob(plan, takes, out, past)
    if (settled.isUnchanged) return yield* keepDelivery(settled)
    const { clips } = settled
    const here = Effect.flatMap(placeJob(settled), deliverToResult)
    const missing = yield* handover.records(keysOf(plan).filter((key) => !clips.has(key)))
    if (missing.some(({ state }) => state !== "failed")) return yield* here
    if (missing.length > 0 && plan.job.onFailure === "fail") return yield* here

    yield* outdateDelivery(settled)
    const name = yield* keepPlan(share, { plan, takes, out, failed: missing })
    const id = deliveryId(share, out, plan)
    const queue = yield* watch.queue(deliverQueue)
    const known = callRedis(() => queue.getJob(id))
    const add = callRedis(() => queue.add(plan.job.id, { plan: name }, { jobId: id }))

    /** Whether an earlier delivery is unusable: it waits with another plan, or made other files than are needed now. */
    const isStale = (job: Job) =>
      Effect.gen(function* () {
        if (job.finishedOn === undefined) return job.data?.plan !== name
        const end = readDeliverEnd(job.returnvalue)
        if (end._tag === "None" || end.value.status !== "delivered") return true
        // The worker's fingerprint is that of the plan in the share, whose fields have another order.
        const kept = yield* Effect.catchTag(keptPlan(share, name), "FleetUnusable", Effect.die)
        return end.value.digest !== (yield* fingerprintOf(kept.plan, clips, out))
      })

    const awaited: Effect.Effect<DeliverEnd, StateUnusable, FileSystem.FileSystem> = Effect.gen(function* () {
      const before = yield* known
      if (before !== undefined && (yield* isStale(before))) yield* removeJobs(coordinator, before)
      if ((yield* known) === undefined) yield* add
      const ended = yield* watch.until(deliverQueue, id)
      if (ended._tag === "Gone") return yield* stopping.now ? Effect.never : awaited
      // The earlier job could not be removed in time and has delivered another plan.
      if (ended.job.data?.plan !== name && (yield* isStale(ended.job))) return yield* awaited
      done.push(ended.job)
      const end = readDeliverEnd(ended.job.returnvalue)
      if (end._tag === "None")
        return {
          status: "failed",
          error: `the delivery failed on a worker: ${ended.job.failedReason || "its result in Redis is invalid; check who can write to Redis"}`,
          ...reportFigures(undefined)
        } satisfies DeliverEnd
      // An earlier run may have deleted the files that it brought to another machine.
      const { value } = end
      const results = "results" in value ? value.results : undefined
      if (!(yield* Effect.catchTag(share.files.fetchResults(results, out), "FleetUnusable", Effect.die))) {
        yield* removeJobs(coordinator, ended.job)
        return yield* awaited
      }
      return value
    })
    const end = yield* Effect.onInterrupt(awaited, () =>
      Effect.flatMap(known, (job) =>
        job === undefined || job.finishedOn !== undefined ? Effect.void : removeJobs(coordinator, job)
      )
    )
    if (end.status === "incomplete") return yield* here
    const { metrics, last, looks } = end
    const figures = { metrics, last, looks }
    if (end.status === "delivered") {
      const files = end.files.map((file) => join(out, file))
      yield* recordDelivery(settled, files)
      yield* emit({ _tag: "Delivered", job: plan.job.id, files })
      return { job: plan.job, status: "delivered", unchanged: false, files, ...figures } satisfies JobResult
    }
    const { status, error } = end
    const result: JobResult = { job: plan.job, status, error, ...figures }
    yield* reportUndelivered(result)
    return result
  })

// The speak stage of a fleet: dispatches utterances within the batch's budget, awaits them and counts results.

const writeTerms = Schema.encodeSync(Schema.parseJson(Terms))
const readEnd = Schema.decodeUnknownOption(SpeakEnd)

/** How long to wait for workers before the warning that a queue has none. */
const missedAfter = Duration.seconds(5)

/** How long withdrawing queued jobs may delay the end of an interrupted run. */
const withdrawing = Duration.seconds(8)

/** Speaks the remaining utterances through the fleet. */
const speakBy = (
  coordinator: Coordinator,
  settings: SpeakSettings,
  { batch, jobs }: Pick<BatchPlan, "batch" | "jobs">
) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const { counts } = yield* SpeakCounters
    const { stopped } = yield* StopSignal
    // Second takes were not in the plan that was looked up at the start.
    const wanted = yield* coordinator.handover.records(
      settings.keys.filter((key) => !coordinator.looked.has(key))
    )
    yield* rejoinBatch(
      coordinator,
      wanted.map(({ utterance }) => utterance)
    )
    yield* store.revive(settings.keys, "passing")
    const reused = yield* requeueDamagedClips(settings.keys)
    const unspoken = yield* store.unspoken(settings.keys)
    if (settings.isSecond !== true) {
      counts.reused = reused
      counts.failed = settings.keys.length - reused - unspoken.length
    }

    const providers = [...new Set(unspoken.map(({ provider }) => provider))]
    const terms = yield* coordinator.share.keep(
      writeTerms({
        edition,
        service: batch.service === "embedded" ? "" : batch.service.baseUrl,
        ...(settings.dialect === undefined ? {} : { dialect: settings.dialect }),
        undecided: settings.undecided,
        timesWords: settings.timesWords,
        profiles: Object.fromEntries(providers.map((provider) => [provider, settings.profileOf(provider)])),
        utterances: settings.keys.length
      })
    )
    const stage: Stage = { ...coordinator, terms, jobs, out: batch.out }
    // A queue that was slowed down stays slow when further takes are spoken.
    const fresh = providers.filter((provider) => !coordinator.providers.has(provider))
    for (const provider of fresh) coordinator.providers.add(provider)
    yield* Effect.forEach(fresh, (provider) => limitQueues(stage, provider), { discard: true })

    const read = yield* coordinator.handover.records(unspoken.map(({ key }) => key))
    const byKey = new Map(read.map((record) => [record.utterance.key, record]))
    const records = unspoken.flatMap(({ key }) => byKey.get(key) ?? [])
    yield* Effect.forkScoped(Effect.zipRight(stopped, withdrawUtterances(stage, records)))
    yield* Effect.forkScoped(missed(stage, fresh))
    const accounts = new Map(
      records.map(({ utterance, state, tasks }): [UtteranceKey, Account] => [
        utterance.key,
        { known: new Set(tasks.map(({ task }) => task)), wasAnnounced: state === "announced" }
      ])
    )
    yield* Effect.onInterrupt(allOf(stage, accounts, records), () =>
      Effect.sync(() => {
        coordinator.stopping.now = true
      }).pipe(
        Effect.zipRight(withdrawUtterances(stage, records)),
        Effect.zipRight(reviewHistory(stage, records)),
        Effect.zipRight(coordinator.handover.records(records.map(({ utterance }) => utterance.key))),
        Effect.flatMap(Effect.forEach((record) => accounted(accounts, record))),
        Effect.timeoutOption(withdrawing),
        Effect.interruptible,
        // Runs in its own fiber: this one is interrupted and could not wait.
        Effect.forkDaemon,
        Effect.flatMap((fiber) => fiber.await)
      )
    )
    return yield* speakSummary
  }).pipe(Effect.scoped, Effect.provide(speakServices(settings)))

/** Warns once per provider whose queue has no workers. Checks after 5 s, then every minute. */
const missed = ({ watch, callRedis }: Stage, providers: ReadonlyArray<ProviderId>) => {
  const announced = new Set<ProviderId>()
  return Effect.gen(function* () {
    for (const provider of providers) {
      if (announced.has(provider)) continue
      const queue = yield* watch.queue(speakQueue(provider))
      if ((yield* callRedis(() => queue.getWorkersCount())) > 0) continue
      announced.add(provider)
      yield* warn(`no worker in the fleet serves ${provider}; start one with dubwright worker`)
    }
  }).pipe(Effect.delay(missedAfter), Effect.repeat(Schedule.spaced("1 minute")))
}

/** Dispatches utterances that are not yet in flight, as far as the budget allows, and waits for all of them. */
const allOf = (stage: Stage, accounts: Accounts, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const spending = yield* RunSpending
    const { unspoken } = yield* SpeakCounters
    const { halted } = yield* StopSignal
    const joined = yield* jobsInFlight(stage, records)
    const alone = new Set<UtteranceKey>()
    const settle = (record: UtteranceRecord) => settled(stage, accounts, record)
    // Jobs of an earlier run spend its grants, and its announced creates may have made tasks.
    for (const { utterance, state } of records)
      if (state === "announced" || (state === "planned" && joined.has(utterance.key)))
        spending.expect(utterance)
    // If that is too much, stops the run, and thus withdraws what no worker has begun.
    yield* spending.check
    if (spending.isLimited) {
      for (const record of records) {
        const { utterance } = record
        if (joined.has(utterance.key) || halted() !== undefined) continue
        if (spending.price(utterance.casting) !== undefined) continue
        alone.add(utterance.key)
        yield* spending.pricing(
          utterance,
          Effect.zipRight(dispatchUtterances(stage, [record]), settle(record))
        )
      }
    }
    const affordable: Array<UtteranceRecord> = []
    for (const record of records) {
      const { key } = record.utterance
      if (joined.has(key) || alone.has(key)) continue
      if (halted() === undefined && (yield* afforded(record))) affordable.push(record)
      else yield* unspoken("left")
    }
    yield* dispatchUtterances(stage, affordable)
    yield* Effect.forEach(
      [...records.filter(({ utterance }) => joined.has(utterance.key)), ...affordable],
      settle,
      { concurrency: "unbounded", discard: true }
    )
  })

/** An utterance's spending. */
interface Account {
  /** Tasks created before it was dispatched, or already counted. */
  readonly known: Set<string>
  /** Whether an earlier run may have created a task that has not been found yet. */
  readonly wasAnnounced: boolean
}
type Accounts = ReadonlyMap<UtteranceKey, Account>

/** Holds the cost of an utterance. If that would exceed the budget, stops creates and returns false. */
const afforded = ({ utterance }: UtteranceRecord) =>
  Effect.flatMap(RunSpending, ({ reserve }) => reserve(utterance))

/** Waits for an utterance's end and counts it. Dispatches an unfinished one again, unless creates were stopped. */
const settled = (stage: Stage, accounts: Accounts, given: UtteranceRecord) =>
  Effect.gen(function* () {
    const { watch, handover, done } = stage
    const { counts, unspoken } = yield* SpeakCounters
    const { stop, halted } = yield* StopSignal
    const { alive } = yield* ServiceWatch
    const settings = yield* SpeakConfig
    const store = yield* UtteranceStore
    const { key, casting } = given.utterance
    const about = { provider: casting.provider, utterance: key }
    for (;;) {
      const end = yield* watch.until(speakQueue(casting.provider), key)
      const written =
        end._tag === "Ended" ? (yield* recordsOfJobs(stage, [end.job]))[0] : yield* goneRecord(stage, key)
      if (written !== undefined) yield* handover.takeOver([written])
      const [record = given] = yield* handover.records([key])
      yield* accounted(accounts, record)
      if (end._tag === "Ended") done.push(end.job)
      if (record.clip !== undefined) {
        const { clip, suspect } = record.clip
        if (suspect !== undefined) counts.suspect++
        if (isUnderWay(given.state) && record.take === given.take) counts.resumed++
        alive()
        yield* emit({ _tag: "Spoken", ...about, seconds: clip.frames / clip.rate })
        return yield* settings.settled(key)
      }
      const said = end._tag === "Ended" ? Option.getOrUndefined(readEnd(end.job.returnvalue)) : undefined
      const broke =
        end._tag === "Ended" && said === undefined
          ? FailureReason.make({
              // The next run searches for a task before it creates one.
              kind: record.state === "announced" ? "undecidable" : "broken",
              words: `the task failed on a worker: ${end.job.failedReason}`
            })
          : undefined
      const setback = record.state === "failed" ? (record.setback ?? broke) : broke
      if (setback !== undefined) {
        if (record.state !== "failed") yield* store.apply({ event: "fail", key, setback })
        yield* unspoken("failed")
        yield* emit({ _tag: "Failed", ...about, label: record.label, error: setback.words })
        return yield* settings.settled(key)
      }
      if (said?.ending === "spoken")
        return yield* Effect.dieMessage(`utterance ${key} is reported as spoken but has no clip`)
      // A worker that needs more than its grant leaves the utterance unfinished.
      if (said?.halt !== undefined && said.halt.reason !== "budget") yield* stop(said.halt)
      if (halted() !== undefined || !(yield* afforded(record))) return yield* unspoken("left")
      if (end._tag === "Ended") yield* removeJobs(stage, end.job)
      yield* dispatchUtterances(stage, [record])
    }
  })

/** Returns the record of an utterance whose job was removed, if it is newer than the run's. */
const goneRecord = ({ share, handover, callRedis, client }: Stage, key: UtteranceKey) =>
  Effect.gen(function* () {
    const spoken = yield* share.recordOf(key)
    if (spoken !== undefined) return spoken
    const [own] = yield* handover.records([key])
    const entry = (yield* callRedis(() => readLedger(client, [key]))).get(key)
    return own === undefined || isAhead(entry?.record, own) ? entry?.record : undefined
  })

/** Counts the tasks created for an utterance since it was dispatched, and their credits. */
const accounted = (accounts: Accounts, { utterance, tasks }: UtteranceRecord) =>
  Effect.gen(function* () {
    const { pay, release } = yield* RunSpending
    const { counts } = yield* SpeakCounters
    const { key, characters } = utterance
    const account = accounts.get(key)
    if (account === undefined) return release(key)
    for (const { task, credits, adopted } of tasks) {
      if (account.known.has(task)) continue
      account.known.add(task)
      if (adopted && account.wasAnnounced) counts.adopted++
      else {
        counts.created++
        counts.characters += characters
      }
      yield* pay(utterance, credits)
    }
    release(key)
  })
