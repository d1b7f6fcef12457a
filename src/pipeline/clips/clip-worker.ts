/** The thread's side: makes and writes clips as it is asked to, several at once as far as the disk is waited for. */
import { parentPort, workerData } from "node:worker_threads"
import { Either, Predicate } from "effect"
import { writeClip } from "../../store/files/ClipFile.ts"
import { clipFileBytes, analyzeClip, receivedSamples } from "./ClipAnalysis.ts"
import type { ClipWorkerResponse, ClipWorkerRequest } from "./ClipWorkerProtocol.ts"

const port = parentPort
if (port === null) throw new Error("this file is a thread that makes clips: it is started by a run")
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

/** What went wrong, as much of it as crosses over. */
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
