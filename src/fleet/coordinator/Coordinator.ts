/**
 * The coordinator of a fleet. It dispatches a batch as BullMQ flows, each a delivery with its utterances as children.
 * It copies the workers' results into its own state, and makes the run's decisions about spending and stopping.
 */
import { Path, type FileSystem } from "@effect/platform"
import type { Job } from "bullmq"
import { Effect } from "effect"
import type { BatchPlan, JobPlan } from "../../pipeline/plan/BatchPlan.ts"
import type { RunExecutor } from "../../pipeline/run/RunExecutor.ts"
import { Progress } from "../../pipeline/Progress.ts"
import { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { speakBy } from "./DispatchedSpeech.ts"
import { recordsOfJobs, removeJobs } from "./Dispatch.ts"
import { rejoinBatch } from "./Rejoin.ts"
import { readDeliverEnd, type JobNews, type DeliverEnd } from "../shared/JobPayloads.ts"
import { dropEntries } from "../shared/Ledger.ts"
import { filmsOf, deliveryId, keepPlan, keptPlan } from "../shared/PlanFile.ts"
import { deliverQueue } from "../shared/Queues.ts"
import { askRedis, type FleetRedis } from "../shared/Redis.ts"
import { Share } from "../shared/Share.ts"
import { makeJobWatcher } from "./JobWatcher.ts"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { deliverToResult, keepDelivery, reportUndelivered } from "../../pipeline/deliver/DeliveryOutcome.ts"
import { outdateDelivery } from "../../pipeline/deliver/DeliveryRecord.ts"
import { recordDelivery } from "../../pipeline/deliver/JobDelivery.ts"
import { fingerprintOf } from "../../pipeline/place/JobFingerprint.ts"
import { keysOf, placeJob, settledJob } from "../../pipeline/place/JobPlacement.ts"
import type { JobResult } from "../../pipeline/report/JobResult.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"

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
    const executor: RunExecutor = {
      speak: (settings, plan) => speakBy(coordinator, settings, plan),
      deliver: (plan, takes, out, past) =>
        Effect.provide(deliverBy(coordinator, plan, takes, out, past), services),
      deliveriesAtOnce: manyDeliveries
    }
    return executor
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

    const awaited: Effect.Effect<
      DeliverEnd | { readonly status: "fault"; readonly error: string },
      StateUnusable,
      FileSystem.FileSystem
    > = Effect.gen(function* () {
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
          status: "fault",
          error: `the delivery failed on a worker: ${ended.job.failedReason || "its result in Redis is invalid; check who can write to Redis"}`
        } as const
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
    if (end.status === "delivered") {
      const files = end.files.map((file) => join(out, file))
      yield* recordDelivery(settled, files)
      yield* Effect.flatMap(Progress, ({ emit }) => emit({ _tag: "Delivered", job: plan.job.id, files }))
      const { metrics, last, looks } = end
      const result: JobResult = {
        job: plan.job,
        status: "delivered",
        unchanged: false,
        metrics,
        last,
        looks,
        files
      }
      return result
    }
    const result: JobResult = {
      job: plan.job,
      status: end.status === "unfinished" ? "unfinished" : "failed",
      error: end.error,
      metrics: end.status === "fault" ? undefined : end.metrics,
      last: end.status === "fault" ? undefined : end.last,
      looks: end.status === "fault" ? 0 : end.looks
    }
    yield* reportUndelivered(result)
    return result
  })
