/** Notifies listeners of changes of tasks. */
import { Effect, Queue } from "effect"
import { Replica } from "../storage/Replica.ts"

/** Maximum changes that wait for one listener; older ones are dropped. */
const maxWaiting = 10_000

/**
 * Passes on the changes of tasks. SQLite reports no changes by other processes, such as `keys revoke`. Replicas pass on
 * the database's notifications instead, so that each change is passed on once.
 */
export class TaskEvents extends Effect.Service<TaskEvents>()("service/TaskEvents", {
  effect: Effect.map(Replica, ({ sharing }) => {
    /** Listeners by an account's number, or by that and a task's id. */
    const listeners = new Map<string, Set<Queue.Queue<string>>>()
    const leave = (subject: string, queue: Queue.Queue<string>) =>
      Effect.sync(() => {
        const all = listeners.get(subject)
        all?.delete(queue)
        if (all?.size === 0) listeners.delete(subject)
      })
    const reported = (account: number, taskId: string): Effect.Effect<void> =>
      Effect.suspend(() =>
        Effect.forEach(
          [...(listeners.get(`${account}`) ?? []), ...(listeners.get(`${account} ${taskId}`) ?? [])],
          (queue) => Queue.offer(queue, taskId),
          { discard: true }
        )
      )
    return {
      /** Passes on a change that the database has reported. */
      reported,

      /** Records that a task of an account was created, started, queued again, or has ended. */
      changed: sharing === undefined ? reported : () => Effect.void,

      /** Returns a queue of the ids of an account's changed tasks, or of one of them, until the scope closes. */
      listen: (account: number, taskId?: string) => {
        const subject = taskId === undefined ? `${account}` : `${account} ${taskId}`
        return Effect.acquireRelease(
          Effect.tap(Queue.sliding<string>(taskId === undefined ? maxWaiting : 1), (queue) =>
            Effect.sync(() => {
              listeners.set(subject, (listeners.get(subject) ?? new Set()).add(queue))
            })
          ),
          (queue) => Effect.zipRight(leave(subject, queue), Queue.shutdown(queue))
        )
      }
    }
  })
}) {}
