/** Client of one engine thread: starts it, sends one job at a time, ends it. */
import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Effect, Option, Schema } from "effect"
import { builtProgram } from "../../domain/values/BuiltProgram.ts"
import { EngineUnavailable, SpeechFailed } from "../Engine.ts"
import {
  type EngineAnswer,
  AnswerMessage,
  Greeting,
  type EngineJob,
  type ThreadEngine
} from "./EngineProtocol.ts"

export interface WorkerThread {
  /** Sends a job; one at a time. Fails if the thread dies. If interrupted, the thread keeps working: close it then. */
  readonly ask: (job: EngineJob) => Effect.Effect<EngineAnswer, SpeechFailed>
  readonly isAlive: () => boolean
  /** Ends the thread, even in the middle of a job. */
  readonly close: Effect.Effect<void>
}

/** Starts a thread; succeeds once its engine is open. If interrupted, ends the thread. */
export const openThread = (engine: ThreadEngine): Effect.Effect<WorkerThread, EngineUnavailable> =>
  Effect.async((resume) => {
    const file = workerFile()
    const unable = (detail: string) => resume(Effect.fail(new EngineUnavailable({ engine, detail })))
    if (file === undefined) return unable("its program engine-worker.mjs is missing; run npm run build")
    const line = lineTo(
      new Worker(file, { workerData: { engine }, execArgv: [], stdout: true, stderr: true })
    )
    line.expect((message) => {
      const greeting = Option.getOrUndefined(decodeGreeting(message))
      if (greeting?._tag === "Ready") return resume(Effect.succeed(threadOf(engine, line)))
      line.close().catch(() => undefined)
      unable(
        greeting?._tag === "Unable"
          ? greeting.detail
          : "its program engine-worker.mjs is of another version; run npm run build"
      )
    }, unable)
    return Effect.promise(line.close)
  })

const threadOf = (engine: ThreadEngine, line: Line): WorkerThread => {
  let count = 0
  return {
    ask: (job) =>
      Effect.async((resume) => {
        const id = ++count
        const failed = (reason: "crashed" | "bad-output", detail: string) =>
          resume(Effect.fail(new SpeechFailed({ engine, reason, detail })))
        line.expect(
          (message) =>
            Option.match(decodeAnswer(message), {
              onNone: () => failed("bad-output", "the engine's response does not match the protocol"),
              onSome: (answer) => {
                if (answer.id === id) resume(Effect.succeed(answer.answer))
              }
            }),
          (detail) => failed("crashed", detail)
        )
        line.post({ id, job })
      }),
    isAlive: line.isAlive,
    close: Effect.promise(line.close)
  }
}

const decodeGreeting = Schema.decodeUnknownOption(Greeting)
const decodeAnswer = Schema.decodeUnknownOption(AnswerMessage)

/** A worker with one permanent set of listeners: removing a Worker's listeners also stops its messages. */
interface Line {
  readonly post: (message: unknown) => void
  /** Replaces the handlers of messages and of the end. If the thread has already ended, calls `onEnd` at once. */
  readonly expect: (onMessage: (message: unknown) => void, onEnd: (detail: string) => void) => void
  readonly isAlive: () => boolean
  readonly close: () => Promise<void>
}

const lineTo = (worker: Worker): Line => {
  let ended: string | undefined
  let message: (message: unknown) => void = () => undefined
  let end: (detail: string) => void = () => undefined
  const endWith = (detail: string) => {
    ended ??= detail
    end(ended)
  }
  worker.on("message", (value: unknown) => message(value))
  worker.on("error", (cause) => endWith(`the engine crashed: ${messageOf(cause)}`))
  worker.on("exit", (code) => endWith(`the engine's thread ended with code ${code}`))
  // Discards the engine's own output.
  worker.stdout.resume()
  worker.stderr.resume()
  return {
    post: (value) => worker.postMessage(value),
    expect: (onMessage, onEnd) => {
      message = onMessage
      end = onEnd
      if (ended !== undefined) onEnd(ended)
    },
    isAlive: () => ended === undefined,
    close: async () => {
      ended ??= "the engine's thread was closed"
      await worker.terminate()
    }
  }
}

/** Returns the message of a thread's error, which is not always an Error after the transfer between threads. */
const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "unknown cause")

const workerFile = (): string | undefined => builtProgram("engine-worker.mjs", import.meta.url, existsSync)
