/** Worker thread that decodes, analyzes and writes clips, several at once while they wait for the disk. */
import { workerData } from "node:worker_threads"
import { Either, Predicate } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import { deliveryRate } from "../../domain/time/Units.ts"
import { mp3Decoder } from "../../ffmpeg/decode/Mp3Samples.ts"
import { serveRequests } from "../../system/ThreadServer.ts"
import { writeClip } from "../../store/files/ClipFile.ts"
import { isEncoded, statedRate, storedRateOf } from "./AudioFormatDetection.ts"
import { clipFileBytes, analyzeClip, receivedSamples } from "./ClipAnalysis.ts"
import type { ClipAnswer, ClipWorkerRequest } from "./ClipWorkerProtocol.ts"

const clips = String(workerData)

const decodeMp3 = mp3Decoder()

/** Returns the samples of an MP3 file; undefined if it is not a plain one. */
const mp3Samples = async (bytes: Uint8Array, most: number): Promise<Pcm | undefined> => {
  const rate = storedRateOf(statedRate(bytes) ?? deliveryRate)
  const samples = await decodeMp3(bytes, rate, most)
  return samples && { rate, samples }
}

const answerTo = async ({ key, sound, wanted }: ClipWorkerRequest): Promise<ClipAnswer> => {
  const decoded = isEncoded(sound) ? await mp3Samples(sound, wanted.most) : sound
  if (decoded === undefined) return { _tag: "Undecoded" }
  const samples = receivedSamples(decoded, wanted.most)
  if (Either.isLeft(samples)) return { _tag: "Unusable", words: samples.left }
  const steps = analyzeClip(samples.right, wanted)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value._tag === "Unusable"
    ? step.value
    : { ...step.value, ...(await writeClip(clips, key, clipFileBytes(decoded, samples.right))) }
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
