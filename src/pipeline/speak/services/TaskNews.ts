/**
 * Reports when a task has ended, if the service offers events. Without events, or while their stream is broken, tasks
 * are polled. An event that is lost only delays a poll.
 */
import { Deferred, Duration, Effect, Schedule, Stream } from "effect"
import type { TaskId } from "../../../domain/values/Ids.ts"
import { Gateway } from "../../../gateway/Gateway.ts"

/** Ended tasks to remember: a task may end before the response to its create arrives. */
const maxRemembered = 10_000

/** Time until a stream that broke is opened again; while none opens, it grows to 30 s. */
const pause = "1 second"
const reopening = Schedule.exponential(pause).pipe(Schedule.union(Schedule.spaced("30 seconds")))

/** The time that one stream was open. */
export interface NewsEpoch {
  readonly ended: Set<TaskId>
  readonly waiting: Map<TaskId, Deferred.Deferred<boolean>>
}

/** Follows the service's events from the first task on. */
export class TaskNews extends Effect.Service<TaskNews>()("pipeline/TaskNews", {
  scoped: Effect.gen(function* () {
    const gateway = yield* Gateway
    const scope = yield* Effect.scope
    let current: NewsEpoch | undefined
    let isStarted = false
    let hasOpened = false

    /** Ends an epoch: those who wait then poll instead. */
    const close = Effect.suspend(() => {
      const epoch = current
      current = undefined
      return Effect.forEach(epoch?.waiting.values() ?? [], (told) => Deferred.succeed(told, false), {
        discard: true
      })
    })

    const follow = gateway.follow.pipe(
      Stream.runForEach((notice) =>
        Effect.suspend(() => {
          if (notice._tag === "Open") {
            hasOpened = true
            current = { ended: new Set(), waiting: new Map() }
            return Effect.void
          }
          if (current === undefined) return Effect.void
          const { ended, waiting } = current
          ended.add(notice.task)
          for (const oldest of ended) {
            if (ended.size <= maxRemembered) break
            ended.delete(oldest)
          }
          const told = waiting.get(notice.task)
          return told === undefined ? Effect.void : Deferred.succeed(told, true)
        })
      ),
      Effect.ensuring(close)
    )
    const following = Effect.gen(function* () {
      const { events } = yield* gateway.reads.health
      if (events === undefined) return
      return yield* Effect.ignoreLogged(follow).pipe(
        Effect.repeat({ schedule: reopening, until: () => hasOpened }),
        Effect.zipRight(Effect.sleep(pause)),
        Effect.zipRight(Effect.sync(() => (hasOpened = false))),
        Effect.forever
      )
    }).pipe(Effect.ignore)

    return {
      /**
       * The stream that is open now, if any. Read it before a task is created, because a stream has only later events.
       */
      epoch: Effect.suspend(() => {
        if (isStarted) return Effect.succeed(current)
        isStarted = true
        return Effect.as(Effect.forkIn(following, scope), current)
      }),

      /**
       * Waits until a task has ended. False, at once or later, if that is unknown. The stream is then closed, has
       * broken since the create, or was silent about the task for `most` milliseconds.
       */
      ended: (task: TaskId, epoch: NewsEpoch | undefined, most: number): Effect.Effect<boolean> =>
        Effect.suspend(() => {
          if (epoch === undefined || epoch !== current) return Effect.succeed(false)
          if (epoch.ended.has(task)) return Effect.succeed(true)
          return Effect.acquireUseRelease(
            Effect.tap(Deferred.make<boolean>(), (told) => Effect.sync(() => epoch.waiting.set(task, told))),
            (told) =>
              Effect.timeoutTo(Deferred.await(told), {
                duration: Duration.millis(most),
                onSuccess: (known) => known,
                onTimeout: () => false
              }),
            () => Effect.sync(() => epoch.waiting.delete(task))
          )
        })
    }
  })
}) {}
