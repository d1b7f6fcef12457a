/**
 * The coordinator of a fleet. It dispatches a batch as BullMQ flows, each a delivery with its utterances as children.
 * It copies the workers' results into its own state, and makes the run's decisions about spending and stopping.
 */
import type { FileSystem, Path } from "@effect/platform"
import type { Job } from "bullmq"
import { Effect } from "effect"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import type { RunExecutor } from "../../pipeline/run/RunExecutor.ts"
import { Progress } from "../../pipeline/Progress.ts"
import { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { deliverBy } from "./DispatchedDelivery.ts"
import { speakBy } from "./DispatchedSpeech.ts"
import { recordsOfJobs } from "./Dispatch.ts"
import { rejoinBatch } from "./Rejoin.ts"
import type { JobNews } from "../shared/JobPayloads.ts"
import { dropEntries } from "../shared/Ledger.ts"
import { filmsOf } from "../shared/PlanFile.ts"
import { deliverQueue } from "../shared/Queues.ts"
import { askRedis, type FleetRedis } from "../shared/Redis.ts"
import { Share } from "../shared/Share.ts"
import { makeJobWatcher } from "./JobWatcher.ts"

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
