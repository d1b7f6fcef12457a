/** Worker thread that analyzes and writes clips, several at once while they wait for the disk. */
import { workerData } from "node:worker_threads"
import { Either, Predicate } from "effect"
import { serveRequests } from "../../system/ThreadServer.ts"
import { writeClip } from "../../store/files/ClipFile.ts"
import { clipFileBytes, analyzeClip, receivedSamples } from "./ClipAnalysis.ts"
import type { ClipAnswer, ClipWorkerRequest } from "./ClipWorkerProtocol.ts"

const clips = String(workerData)

const answerTo = async ({ key, sound, wanted }: ClipWorkerRequest): Promise<ClipAnswer> => {
  const samples = receivedSamples(sound)
  if (Either.isLeft(samples)) return { _tag: "Unusable", words: samples.left }
  const steps = analyzeClip(samples.right, wanted)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value._tag === "Unusable"
    ? step.value
    : { ...step.value, ...(await writeClip(clips, key, clipFileBytes(sound, samples.right))) }
}

/** The error as a message that can cross threads. */
const brokenBy = (cause: unknown): ClipAnswer => ({
  _tag: "Broken",
  message: cause instanceof Error ? cause.message : String(cause),
  code: Predicate.hasProperty(cause, "code") ? String(cause.code) : undefined
})

serveRequests((orders: ReadonlyArray<ClipWorkerRequest>) =>
  Promise.all(orders.map((order) => answerTo(order).catch(brokenBy)))
)
