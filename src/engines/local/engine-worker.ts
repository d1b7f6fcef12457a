/** Entry point of an engine thread: opens its engine and answers one job at a time. */
import { workerData } from "node:worker_threads"
import { Option, Schema } from "effect"
import { giveWay } from "../../system/BackgroundPriority.ts"
import { serveRequests } from "../../system/ThreadServer.ts"
import { alignWithReference } from "./alignment/ReferenceAlignment.ts"
import { openEspeak } from "./EspeakThread.ts"
import { openFlite } from "./FliteThread.ts"
import {
  type EngineAnswer,
  EngineJob,
  type Greeting,
  JobRefused,
  type Synthesizer,
  ThreadSettings
} from "./EngineProtocol.ts"

const answerOf = (synthesiser: Synthesizer, job: EngineJob): EngineAnswer => {
  try {
    switch (job._tag) {
      case "Voices":
        return { _tag: "VoiceList", ...synthesiser.voices() }
      case "Sentence":
        return { _tag: "Spoken", ...synthesiser.speak(job) }
      case "Align":
        return { _tag: "Aligned", ...alignWithReference(synthesiser, job) }
    }
  } catch (cause) {
    // After any other error its memory may be corrupt: the thread ends, and the pool starts another.
    if (cause instanceof JobRefused) return { _tag: "Refused", detail: cause.message }
    throw new Error(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Returns the buffers to transfer instead of copy. */
const movable = ({ buffer }: Int16Array): ReadonlyArray<ArrayBuffer> =>
  buffer instanceof ArrayBuffer ? [buffer] : []

const { engine, givesWay } = Schema.decodeUnknownSync(ThreadSettings)(workerData)
if (givesWay) giveWay()
const decode = Schema.decodeUnknownOption(EngineJob)
let synthesiser: Synthesizer | undefined

const opened = async (): Promise<Greeting> => {
  try {
    synthesiser = await (engine === "espeak" ? openEspeak() : openFlite())
    return { _tag: "Ready" }
  } catch (cause) {
    return { _tag: "Unable", detail: String(cause) }
  }
}

serveRequests(
  async (request: unknown): Promise<EngineAnswer | Greeting> => {
    if (synthesiser === undefined) return opened()
    const job = Option.getOrThrowWith(decode(request), () => new Error("the job does not match the protocol"))
    return answerOf(synthesiser, job)
  },
  (answer) => (answer._tag === "Spoken" ? movable(answer.samples) : [])
)
