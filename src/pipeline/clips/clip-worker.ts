/** Worker thread that analyzes and writes clips, several at once while they wait for the disk. */
import { parentPort, workerData } from "node:worker_threads"
import { Either, Predicate } from "effect"
import { writeClip } from "../../store/files/ClipFile.ts"
import { clipFileBytes, analyzeClip, receivedSamples } from "./ClipAnalysis.ts"
import type { ClipWorkerResponse, ClipWorkerRequest } from "./ClipWorkerProtocol.ts"

const port = parentPort
if (port === null) throw new Error("this file is a worker thread that makes clips; a run starts it")
const clips = String(workerData)

const answerTo = async ({ key, sound, wanted }: ClipWorkerRequest): Promise<ClipWorkerResponse["answer"]> => {
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
const brokenBy = (cause: unknown): ClipWorkerResponse["answer"] => ({
  _tag: "Broken",
  message: cause instanceof Error ? cause.message : String(cause),
  code: Predicate.hasProperty(cause, "code") ? String(cause.code) : undefined
})

const answered = async (order: ClipWorkerRequest): Promise<ClipWorkerResponse> => ({
  id: order.id,
  answer: await answerTo(order).catch(brokenBy)
})

port.on("message", (orders: ReadonlyArray<ClipWorkerRequest>) => {
  void Promise.all(orders.map(answered)).then((answers) => port.postMessage(answers))
})
