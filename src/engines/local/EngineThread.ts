/** Client of one engine thread: starts it, sends one job at a time, ends it. */
import { Effect, Option, Schema } from "effect"
import { GivesWay } from "../../system/BackgroundPriority.ts"
import { builtProgram } from "../../system/BuiltProgram.ts"
import { type ThreadEnded, WorkerThread } from "../../system/WorkerThread.ts"
import { EngineUnavailable, SpeechFailed } from "../Engine.ts"
import {
  EngineAnswer,
  type EngineJob,
  Greeting,
  type ThreadEngine,
  type ThreadSettings
} from "./EngineProtocol.ts"

export interface EngineThread {
  /** Sends a job; one at a time. Fails if the thread dies. If interrupted, the thread keeps working: close it then. */
  readonly ask: (job: EngineJob) => Effect.Effect<EngineAnswer, SpeechFailed>
  readonly isAlive: () => boolean
  /** Ends the thread, even in the middle of a job. */
  readonly close: Effect.Effect<void>
}

/** Starts a thread; succeeds once its engine is open. If interrupted, ends the thread. */
export const openThread = (engine: ThreadEngine): Effect.Effect<EngineThread, EngineUnavailable> =>
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
