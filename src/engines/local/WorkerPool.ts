/**
 * A pool of threads for engines that would block the process. Threads are started on demand. A thread that dies, hangs
 * or is interrupted is discarded, and the next job gets a new one.
 */
import { availableParallelism } from "node:os"
import { Clock, Duration, Effect, Exit, Schedule } from "effect"
import { type EngineUnavailable, SpeechFailed } from "../Engine.ts"
import type { EngineAnswer, EngineJob, ThreadEngine } from "./EngineProtocol.ts"
import { type EngineThread, openThread } from "./EngineThread.ts"

/** Limits on the number of threads and on time. */
export interface ThreadLimits {
  /** Maximum threads, at least 1; the default leaves one processor core free. */
  readonly size?: number
  /** Maximum time for one job (a sentence) before its thread is discarded; default 30 s. */
  readonly deadline?: Duration.DurationInput
  /** How long a thread may be idle before it is closed to free its memory; default 2 minutes. */
  readonly idle?: Duration.DurationInput
}

/** A pool of threads of one engine. */
export interface WorkerPool {
  /** Runs a job on the next free thread. */
  readonly ask: (job: EngineJob) => Effect.Effect<EngineAnswer, EngineUnavailable | SpeechFailed>
}

/** Makes a pool. Its threads end with the scope. */
export const makeWorkerPool = Effect.fnUntraced(function* (
  engine: ThreadEngine,
  {
    size = Math.max(1, availableParallelism() - 1),
    deadline = "30 seconds",
    idle = "2 minutes"
  }: ThreadLimits = {}
) {
  const slots = yield* Effect.makeSemaphore(size)
  /** Idle threads. The most recently used one is taken first, so that surplus ones reach the idle limit. */
  const free: Array<{ readonly thread: EngineThread; readonly since: number }> = []

  const take = Effect.suspend(() => {
    for (let last = free.pop(); last !== undefined; last = free.pop()) {
      if (last.thread.isAlive()) return Effect.succeed(last.thread)
    }
    return openThread(engine)
  })
  const giveBack = (thread: EngineThread) =>
    Effect.map(Clock.currentTimeMillis, (since) => void free.push({ thread, since }))
  const closeOld = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const old = free.findIndex(({ since }) => now - since < Duration.toMillis(idle))
    return Effect.forEach(free.splice(0, old < 0 ? free.length : old), ({ thread }) => thread.close)
  })

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => Effect.forEach(free.splice(0), ({ thread }) => thread.close))
  )
  yield* Effect.forkScoped(Effect.repeat(closeOld, Schedule.spaced(idle)))

  const late = () =>
    new SpeechFailed({
      engine,
      reason: "timeout",
      detail: `no speech within ${Duration.format(Duration.decode(deadline))}`
    })
  const ask = (job: EngineJob) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(take), (thread) =>
        restore(thread.ask(job)).pipe(
          Effect.timeoutFail({ duration: deadline, onTimeout: late }),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? giveBack(thread) : thread.close))
        )
      )
    ).pipe(slots.withPermits(1))
  return { ask } satisfies WorkerPool
})
