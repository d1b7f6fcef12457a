/**
 * The threads in which engines run that would block the process. None is started before it is needed; one that dies,
 * hangs or is interrupted is thrown away, and the next job gets a new one.
 */
import { availableParallelism } from "node:os"
import { Clock, Duration, Effect, Exit, Schedule } from "effect"
import { type EngineUnavailable, SpeechFailed } from "../Engine.ts"
import type { EngineAnswer, EngineJob, ThreadEngine } from "./EngineProtocol.ts"
import { openThread, type WorkerThread } from "./EngineThread.ts"

/** How many threads there are, and how long they may take. */
export interface ThreadLimits {
  /** Threads at most, from 1; the default leaves one processor free. */
  readonly size?: number
  /** The longest that one job, a sentence, may take before its thread is thrown away; default 30 seconds. */
  readonly deadline?: Duration.DurationInput
  /** How long a thread may stand idle before it is let go, and its memory with it; default 2 minutes. */
  readonly idle?: Duration.DurationInput
}

/** Threads of one engine. */
export interface WorkerPool {
  /** Has a job done by the next free thread. */
  readonly ask: (job: EngineJob) => Effect.Effect<EngineAnswer, EngineUnavailable | SpeechFailed>
}

/** A pool whose threads end with its scope. */
export const makeWorkerPool = Effect.fnUntraced(function* (
  engine: ThreadEngine,
  {
    size = Math.max(1, availableParallelism() - 1),
    deadline = "30 seconds",
    idle = "2 minutes"
  }: ThreadLimits = {}
) {
  const slots = yield* Effect.makeSemaphore(size)
  /** The one used last is taken first, so that those not needed grow old. */
  const free: Array<{ readonly thread: WorkerThread; readonly since: number }> = []

  const take = Effect.suspend(() => {
    for (let last = free.pop(); last !== undefined; last = free.pop()) {
      if (last.thread.isAlive()) return Effect.succeed(last.thread)
    }
    return openThread(engine)
  })
  const giveBack = (thread: WorkerThread) =>
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
