/** The threads of engines in WebAssembly. */
import { availableParallelism } from "node:os"
import { type Duration, Effect, Option, Schema } from "effect"
import { SpeechFailed, EngineUnavailable } from "../Engine.ts"
import {
  EngineAnswer,
  Greeting,
  type EngineJob,
  type ThreadEngine,
  type ThreadSettings
} from "./EngineProtocol.ts"
import { type EngineHost, makeEnginePool } from "./EnginePool.ts"
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
export type WorkerPool = Effect.Effect.Success<ReturnType<typeof makeWorkerPool>>

/** Makes a pool. Its threads end with the scope. */
export const makeWorkerPool = (
  engine: ThreadEngine,
  {
    size = Math.max(1, availableParallelism() - 1),
    deadline = "30 seconds",
    idle = "2 minutes"
  }: ThreadLimits = {}
) =>
  Effect.map(
    makeEnginePool({
      engine,
      size,
      resident: size,
      deadline,
      idle,
      keyOf: () => engine,
      open: () => openThread(engine),
      isSpent: () => false
    }),
    (ask) => ({
      /** Runs a job on the next free thread. */
      ask: (job: EngineJob) => ask(engine, job)
    })
  )

type EngineThread = EngineHost<EngineJob, EngineAnswer>

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
