/** Waits for tasks to end, and follows their changes. */
import { Duration, Effect, Option, Queue, Stream } from "effect"
import { TaskEvents } from "../tasks/TaskEvents.ts"
import type { StoredTask } from "../tasks/TaskRecord.ts"
import { TaskStore } from "../tasks/TaskStore.ts"

/** How often a task is read without an event, because another process may have changed it. */
const atLeastEvery = Duration.seconds(5)

/** Waits for changes of an account's tasks. */
export class TaskWaiting extends Effect.Service<TaskWaiting>()("service/TaskWaiting", {
  effect: Effect.gen(function* () {
    const events = yield* TaskEvents
    const store = yield* TaskStore

    /** Waits until a task may have changed. */
    const hint = (changed: Queue.Dequeue<string>): Effect.Effect<void> =>
      Effect.asVoid(Effect.timeoutOption(Queue.take(changed), atLeastEvery))

    return {
      /** Reads a task when it has ended, or when the time is up. None if the account has no such task. */
      end: (account: number, taskId: string, within: Duration.DurationInput) =>
        Effect.gen(function* () {
          const changed = yield* events.listen(account, taskId)
          const read = store.read(account, taskId)
          const ended: typeof read = Effect.flatMap(read, (found) =>
            Option.isNone(found) || hasEnded(found.value.status)
              ? Effect.succeed(found)
              : Effect.zipRight(hint(changed), ended)
          )
          const found = yield* Effect.timeoutOption(ended, within)
          return Option.isSome(found) ? found.value : yield* read
        }).pipe(Effect.scoped),

      /** Emits a task now and after each change of its status, until it has ended or is deleted. */
      follow: (account: number, taskId: string): Stream.Stream<StoredTask> =>
        Stream.unwrapScoped(
          Effect.map(events.listen(account, taskId), (changed) => {
            type Step = Option.Option<readonly [StoredTask, StoredTask["status"]]>
            const next = (seen: StoredTask["status"] | undefined): Effect.Effect<Step> =>
              Effect.flatMap(store.read(account, taskId), (found) =>
                Option.isSome(found) && found.value.status === seen
                  ? Effect.zipRight(hint(changed), next(seen))
                  : Effect.succeed(Option.map(found, (task) => [task, task.status] as const))
              )
            return Stream.unfoldEffect<StoredTask["status"] | undefined, StoredTask, never, never>(
              undefined,
              (seen) => (hasEnded(seen) ? Effect.succeedNone : next(seen))
            )
          })
        )
    }
  })
}) {}

const hasEnded = (status: StoredTask["status"] | undefined): boolean =>
  status === "done" || status === "failed"
