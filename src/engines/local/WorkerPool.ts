/**
 * A pool of threads for engines that would block the process. Threads are started on demand. A thread that dies, hangs
 * or is interrupted is discarded, and the next job gets a new one.
 */
import { availableParallelism } from "node:os"
import { Clock, Duration, Effect, Exit, Schedule, Option, Schema } from "effect"
import { SpeechFailed, EngineUnavailable } from "../Engine.ts"
import {
  EngineAnswer,
  Greeting,
  type EngineJob,
  type ThreadEngine,
  type ThreadSettings
} from "./EngineProtocol.ts"
import { GivesWay } from "../../system/BackgroundPriority.ts"
import { builtProgram } from "../../system/BuiltProgram.ts"
import { WorkerThread, type ThreadEnded } from "../../system/WorkerThread.ts"

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

interface EngineThread {
  /** Sends a job; one at a time. Fails if the thread dies. If interrupted, the thread keeps working: close it then. */
  readonly ask: (job: EngineJob) => Effect.Effect<EngineAnswer, SpeechFailed>
  readonly isAlive: () => boolean
  /** Ends the thread, even in the middle of a job. */
  readonly close: Effect.Effect<void>
}

/** Starts a thread; succeeds once its engine is open. If interrupted, ends the thread. */
const openThread = (engine: ThreadEngine): Effect.Effect<EngineThread, EngineUnavailable> =>
  Effect.flatMap(GivesWay, (givesWay) => {
    const unable = (detail: string) => new EngineUnavailable({ engine, detail })
    const file = builtProgram("engine-worker.mjs")
    if (file === undefined)
      return Effect.fail(unable("its program engine-worker.mjs is missing; run npm run build"))
    const workerData: ThreadSettings = { engine, givesWay }
    const thread = new WorkerThread<EngineJob | "open", unknown>(file, { workerData })
    return thread.ask("open").pipe(
      Effect.mapError((ended) => unable(wordsOf(ended))),
      Effect.map((response) => Option.getOrUndefined(decodeGreeting(response))),
      Effect.filterOrFail(
        (greeting) => greeting?._tag === "Ready",
        (greeting) =>
          unable(
            greeting?._tag === "Unable"
              ? greeting.detail
              : "the file engine-worker.mjs is from another version of dubwright; install dubwright again (in a clone: npm run build)"
          )
      ),
      Effect.as(threadOf(engine, thread)),
      Effect.onError(() => thread.close)
    )
  })

const threadOf = (engine: ThreadEngine, thread: WorkerThread<EngineJob, unknown>): EngineThread => {
  const failed = (reason: "crashed" | "bad-output", detail: string) =>
    new SpeechFailed({ engine, reason, detail })
  return {
    ask: (job) =>
      thread.ask(job).pipe(
        Effect.mapError((ended) => failed("crashed", wordsOf(ended))),
        Effect.flatMap((response) =>
          Effect.mapError(decodeAnswer(response), () =>
            failed("bad-output", "the engine's response does not match the protocol")
          )
        )
      ),
    isAlive: () => thread.ended === undefined,
    close: thread.close
  }
}

const wordsOf = ({ detail }: ThreadEnded): string => `the engine ${detail}`

const decodeGreeting = Schema.decodeUnknownOption(Greeting)
const decodeAnswer = Schema.decodeUnknownOption(EngineAnswer)
