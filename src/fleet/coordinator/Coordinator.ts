/**
 * The coordinator of a fleet: hands a batch's work out as BullMQ flows, a delivery with its utterances as children,
 * takes back into its own state what the workers have come to, and decides what a run decides: what is spent, when it
 * is enough, what is left.
 */
import type { FileSystem, Path } from "@effect/platform"
import type { Job } from "bullmq"
import { Effect } from "effect"
import type { RunExecutor } from "../../pipeline/run/RunExecutor.ts"
import { Progress } from "../../pipeline/Progress.ts"
import { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import { deliverBy } from "./DispatchedDelivery.ts"
import { speakBy } from "./DispatchedSpeech.ts"
import { recordDispatched } from "./Dispatch.ts"
import { rejoinBatch } from "./Rejoin.ts"
import type { JobNews } from "../shared/JobPayloads.ts"
import { askRedis, type FleetRedis } from "../shared/Redis.ts"
import type { SharedFolder } from "../shared/SharedFolder.ts"
import { makeJobWatcher } from "./JobWatcher.ts"

/** How many deliveries may be waited for at once: the workers decide how many are made. */
const manyDeliveries = 10_000

/** How many finished jobs are removed at once. */
const removedAtOnce = 200

/** A fleet as the crew of a run; for as long as the scope. */
export const fleetExecutor = ({ client, name }: FleetRedis, share: SharedFolder) =>
  Effect.gen(function* () {
    const handover = yield* UtteranceTransfer
    const progress = yield* Progress
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    const asked = <A>(ask: () => Promise<A>) => askRedis(name, ask)
    const seen = (jobs: ReadonlyArray<Job>) => {
      const under = jobs.filter(({ finishedOn }) => finishedOn === undefined)
      // Where it cannot be written down, whoever writes next is told why.
      return Effect.option(handover.takeOver(under.flatMap((job) => recordDispatched(job) ?? [])))
    }
    const heard = (news: JobNews) => progress.emit(news)
    const watch = yield* makeJobWatcher({ client, asked, seen, heard })
    const done: Array<Job> = []
    const coordinator: Coordinator = {
      client,
      asked,
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
            (job) => Effect.promise(() => job.remove({ removeChildren: false }).catch(() => {})),
            { concurrency: removedAtOnce, discard: true }
          )
        : Effect.void
    )
    const crew: RunExecutor = {
      begin: ({ utterances }) => rejoinBatch(coordinator, utterances),
      speak: (settings, plan) => speakBy(coordinator, settings, plan),
      deliver: (plan, takes, out, past) =>
        Effect.provide(deliverBy(coordinator, plan, takes, out, past), services),
      deliveriesAtOnce: manyDeliveries
    }
    return crew
  })
