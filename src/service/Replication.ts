/** Runs a replica: sends heartbeats, queues the tasks of dead replicas, and passes on changes by the others. */
import { Effect, Layer, Schedule, Stream } from "effect"
import { Catalogue } from "./catalogue/Catalogue.ts"
import { Replica } from "./storage/Replica.ts"
import { TaskEvents } from "./tasks/TaskEvents.ts"
import { TaskQueue } from "./tasks/TaskQueue.ts"
import { deathsOfATask, TaskWorkers } from "./tasks/TaskWorkers.ts"

/** Runs beside the workers if this process is a replica, and signs off at the end. */
export const replication = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { sharing } = yield* Replica
    if (sharing === undefined) return
    const catalogue = yield* Catalogue
    const queue = yield* TaskQueue
    const workers = yield* TaskWorkers
    const events = yield* TaskEvents
    const beat = Effect.suspend(() => queue.beat([...catalogue.offer().providers.keys()]))
    const rescue = Effect.flatMap(queue.recover(deathsOfATask), (rescued) =>
      rescued.again + rescued.failed === 0
        ? Effect.void
        : Effect.annotateLogs(Effect.logInfo("recovered tasks of a replica that died"), rescued)
    )
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.sandbox(queue.leave)))
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.catchAllCause(Effect.zipRight(beat, rescue), (cause) =>
          Effect.logError("cannot reach the database yet", cause)
        ),
        Schedule.spaced(sharing.lease / 3)
      )
    )
    yield* Effect.forkScoped(
      Stream.runForEach(sharing.changes, ({ account, taskId, status, provider }) =>
        Effect.zipRight(
          events.reported(account, taskId),
          status === "queued" ? workers.wake(provider) : Effect.void
        )
      )
    )
  })
)
