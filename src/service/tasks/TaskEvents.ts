/** Notifies listeners of changes of tasks. */
import { Effect, Queue, type Scope } from "effect"
import { Replica } from "../storage/Replica.ts"

/** Maximum changes that wait for one listener; older ones are dropped. */
const mostWaiting = 1_000

/**
 * Passes on which tasks have changed. SQLite reports no changes by other processes, such as `keys revoke`. Replicas
 * pass on what the database reports instead, so that each change is passed on once.
 */
export class TaskEvents extends Effect.Service<TaskEvents>()("service/TaskEvents", {
  effect: Effect.map(Replica, ({ sharing }) => {
    const listeners = new Map<number, Set<Queue.Queue<string>>>()
    const leave = (account: number, queue: Queue.Queue<string>) =>
      Effect.sync(() => {
        const all = listeners.get(account)
        all?.delete(queue)
        if (all?.size === 0) listeners.delete(account)
      })
    const reported = (account: number, taskId: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const all = listeners.get(account)
        return all === undefined
          ? Effect.void
          : Effect.forEach(all, (queue) => Queue.offer(queue, taskId), { discard: true })
      })
    return {
      /** Passes on a change that the database has reported. */
      reported,

      /** Records that a task of an account was created, started, queued again, or has ended. */
      changed: sharing === undefined ? reported : () => Effect.void,

      /** Returns a queue of the ids of an account's changed tasks, from now until the scope closes. */
      listen: (account: number): Effect.Effect<Queue.Dequeue<string>, never, Scope.Scope> =>
        Effect.acquireRelease(
          Effect.tap(Queue.sliding<string>(mostWaiting), (queue) =>
            Effect.sync(() => {
              const all = listeners.get(account) ?? new Set()
              listeners.set(account, all.add(queue))
            })
          ),
          (queue) => Effect.zipRight(leave(account, queue), Queue.shutdown(queue))
        )
    }
  })
}) {}
