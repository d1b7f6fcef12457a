/** Entry point of an engine thread: opens its engine and answers one job at a time. */
import { parentPort, workerData } from "node:worker_threads"
import { Option, Schema } from "effect"
import { openEspeak } from "./EspeakThread.ts"
import { openFlite } from "./FliteThread.ts"
import {
  type EngineAnswer,
  type EngineJob,
  JobMessage,
  JobRefused,
  type Synthesizer,
  ThreadSettings
} from "./EngineProtocol.ts"

const answerOf = (synthesiser: Synthesizer, job: EngineJob): EngineAnswer => {
  try {
    return job._tag === "Voices"
      ? { _tag: "VoiceList", ...synthesiser.voices() }
      : { _tag: "Spoken", ...synthesiser.speak(job) }
  } catch (cause) {
    // After any other error its memory may be corrupt: the thread ends, and the pool starts another.
    if (cause instanceof JobRefused) return { _tag: "Refused", detail: cause.message }
    throw new Error(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Returns the buffers to transfer instead of copy. */
const movable = ({ buffer }: Int16Array): ReadonlyArray<ArrayBuffer> =>
  buffer instanceof ArrayBuffer ? [buffer] : []

const port = parentPort
if (port === null) throw new Error("engine-worker must run as a worker thread; the service starts it")
try {
  const settings = Schema.decodeUnknownSync(ThreadSettings)(workerData)
  const synthesiser = await (settings.engine === "espeak" ? openEspeak() : openFlite())
  const decode = Schema.decodeUnknownOption(JobMessage)
  port.on("message", (message: unknown) => {
    const { id, job } = Option.getOrThrowWith(
      decode(message),
      () => new Error("the job does not match the protocol")
    )
    const answer = answerOf(synthesiser, job)
    port.postMessage({ id, answer }, answer._tag === "Spoken" ? movable(answer.samples) : [])
  })
  port.postMessage({ _tag: "Ready" })
} catch (cause) {
  port.postMessage({ _tag: "Unable", detail: String(cause) })
}
