/** Analyzes and stores clips: in worker threads if there are many, else on this thread. */
import { availableParallelism } from "node:os"
import { Effect, Either, type Scope } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { failOrDie, type StateUnusable } from "../../store/state/StateErrors.ts"
import { builtProgram, resourceLimits } from "../../system/BuiltProgram.ts"
import { ThreadEnded, WorkerThread } from "../../system/WorkerThread.ts"
import { yieldToEventLoop } from "../EventLoop.ts"
import {
  clipFileBytes,
  analyzeClip,
  receivedSamples,
  type ClipRequest,
  type Unusable
} from "./ClipAnalysis.ts"
import { isEncoded } from "./AudioFormatDetection.ts"
import type { ClipAnswer, ClipWorkerRequest, ClipWritten } from "./ClipWorkerProtocol.ts"
import type { Decode } from "./ReceivedAudio.ts"

/**
 * Analyzes received bytes or samples and stores them as an utterance's clip. Takes ownership of the sound. Decodes WAV
 * files, and in worker threads plain MP3 files. `decoded` must decode other bytes, or say why it cannot.
 */
export type MakeClip = (
  key: UtteranceKey,
  sound: Uint8Array | Pcm,
  wanted: ClipRequest,
  decoded: Effect.Effect<Either.Either<Pcm, string>, StateUnusable>
) => Effect.Effect<ClipWritten | Unusable, StateUnusable>

/** Functions for making clips. */
export interface ClipWork {
  readonly decode: Decode
  readonly makeClip: MakeClip
}

/** Smallest number of clips for which worker threads are worth starting. */
const worthAThread = 200

/**
 * Maximum number of threads for MP3, of which one makes about 250 clips per second. Clips of WAV need no decoding: a
 * second thread would only compete with the main thread.
 */
const maxForMp3 = Math.min(2, availableParallelism())

/** How many clips must wait for a thread before another is started. */
const waitingForAnother = 4

/**
 * Returns the function that makes clips, in threads if `count` is high enough. The threads last as long as the scope.
 */
export const clipMaker = (count: number): Effect.Effect<MakeClip, never, ClipFolder | Scope.Scope> => {
  const file = count < worthAThread ? undefined : builtProgram("clip-worker.mjs")
  return file === undefined ? analyzeInThisThread : inThreads(file)
}

/** Makes clips on this thread. Long ones are analyzed step by step, so that polls are not delayed. */
export const analyzeInThisThread: Effect.Effect<MakeClip, never, ClipFolder> = Effect.map(
  ClipFolder,
  (clips): MakeClip =>
    Effect.fnUntraced(function* (key, sound, wanted, decoded) {
      const samples = isEncoded(sound) ? yield* decoded : receivedSamples(sound, wanted.most)
      if (Either.isLeft(samples)) return { _tag: "Unusable", words: samples.left }
      const pcm = samples.right
      const steps = analyzeClip(pcm, wanted)
      let step = steps.next()
      while (step.done !== true) {
        if (pcm.samples.length >= longClip) yield* yieldToEventLoop
        step = steps.next()
      }
      return step.value._tag === "Unusable"
        ? step.value
        : { ...step.value, ...(yield* clips.keep(key, clipFileBytes(sound, pcm))) }
    })
)

/** Length in samples above which each step of the analysis takes a few milliseconds. */
const longClip = 10 * 24_000

const inThreads = (file: string): Effect.Effect<MakeClip, never, ClipFolder | Scope.Scope> =>
  Effect.gen(function* () {
    const { state, folder } = yield* ClipFolder
    const threads: Array<ClipThread> = []
    yield* Effect.addFinalizer(() => Effect.forEach(threads, ({ close }) => close, { discard: true }))

    const freest = (sound: Uint8Array | Pcm): ClipThread => {
      const most = isEncoded(sound) ? maxForMp3 : 1
      const [best] = [...threads].sort((a, b) => a.waiting - b.waiting)
      if (best !== undefined && (best.waiting < waitingForAnother || threads.length >= most)) return best
      const another = new ClipThread(file, folder)
      threads.push(another)
      return another
    }

    const makeClip: MakeClip = (key, sound, wanted, decoded) =>
      Effect.flatMap(
        Effect.async<ClipAnswer>((resume) =>
          freest(sound).make({ key, sound: owned(sound), wanted }, (answer) => resume(Effect.succeed(answer)))
        ),
        (answer) => {
          if (answer._tag === "Broken")
            return failOrDie(state, Object.assign(new Error(answer.message), { code: answer.code }))
          if (answer._tag !== "Undecoded") return Effect.succeed(answer)
          return Effect.flatMap(
            decoded,
            Either.match({
              onLeft: (words) => Effect.succeed<Unusable>({ _tag: "Unusable", words }),
              onRight: (pcm) => makeClip(key, pcm, wanted, decoded)
            })
          )
        }
      )
    return makeClip
  })

/** A thread, and the clips that it has not answered yet. */
class ClipThread {
  private readonly thread: WorkerThread<ReadonlyArray<ClipWorkerRequest>, ReadonlyArray<ClipAnswer>>
  private going: Array<{ readonly order: ClipWorkerRequest; readonly settle: (answer: ClipAnswer) => void }> =
    []
  /** Number of clips without an answer. */
  waiting = 0

  constructor(file: string, folder: string) {
    this.thread = new WorkerThread(file, { workerData: folder, resourceLimits })
  }

  /**
   * Sends all requests of one event loop turn in one message. Each message has a fixed cost, and the worker waits for
   * the disk once per message.
   */
  make(order: ClipWorkerRequest, settle: (answer: ClipAnswer) => void): void {
    this.waiting++
    if (this.going.push({ order, settle }) === 1) setImmediate(() => this.send())
  }

  get close(): Effect.Effect<void> {
    return this.thread.close
  }

  private send(): void {
    const sent = this.going
    this.going = []
    this.thread.send(
      sent.map((each) => each.order),
      sent.map(({ order: { sound } }) => (sound instanceof Uint8Array ? sound : sound.samples).buffer),
      (answers) => {
        this.waiting -= sent.length
        for (const [at, each] of sent.entries())
          each.settle(answers instanceof ThreadEnded ? ended(answers) : (answers[at] ?? ended()))
      }
    )
  }
}

const ended = (by?: ThreadEnded): ClipAnswer => ({
  _tag: "Broken",
  message: `the clip worker ${by?.detail ?? "left out a response"}`,
  code: undefined
})

/** Returns a sound whose memory can be transferred; as received, it may be a view into a larger buffer. */
const owned = (sound: Uint8Array | Pcm): ClipWorkerRequest["sound"] =>
  sound instanceof Uint8Array
    ? new Uint8Array(sound)
    : { ...sound, samples: whole(sound.samples) ? sound.samples : new Float32Array(sound.samples) }

const whole = (samples: Float32Array): samples is Float32Array<ArrayBuffer> =>
  samples.buffer instanceof ArrayBuffer && samples.byteLength === samples.buffer.byteLength
