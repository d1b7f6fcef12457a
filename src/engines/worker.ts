/** An engine's thread: opens the engine that it was started for and answers one job at a time. */
import { parentPort, workerData } from "node:worker_threads"
import { Schema } from "effect"
import { openEspeak } from "./EspeakThread.ts"
import { openFlite } from "./FliteThread.ts"
import { type Answer, type Job, JobMessage, type Synthesiser, ThreadSettings } from "./WorkerProtocol.ts"

const answerOf = (synthesiser: Synthesiser, job: Job): Answer => {
  try {
    return job._tag === "Voices"
      ? { _tag: "VoiceList", ...synthesiser.voices() }
      : { _tag: "Spoken", ...synthesiser.speak(job) }
  } catch (cause) {
    // A trap leaves the engine's memory unusable; this kills the thread, and the pool starts another.
    if (cause instanceof WebAssembly.RuntimeError || cause instanceof RangeError) throw cause
    return { _tag: "Refused", detail: String(cause) }
  }
}

/** What is handed over instead of copied. */
const movable = ({ buffer }: Int16Array): ReadonlyArray<ArrayBuffer> =>
  buffer instanceof ArrayBuffer ? [buffer] : []

const port = parentPort
if (port === null) throw new Error("this file is an engine's thread: it is started by the service")
try {
  const settings = Schema.decodeUnknownSync(ThreadSettings)(workerData)
  const synthesiser = await (settings.engine === "espeak" ? openEspeak() : openFlite())
  const decode = Schema.decodeUnknownSync(JobMessage)
  port.on("message", (message: unknown) => {
    const { id, job } = decode(message)
    const answer = answerOf(synthesiser, job)
    port.postMessage({ id, answer }, answer._tag === "Spoken" ? movable(answer.samples) : [])
  })
  port.postMessage({ _tag: "Ready" })
} catch (cause) {
  port.postMessage({ _tag: "Unable", detail: String(cause) })
}
