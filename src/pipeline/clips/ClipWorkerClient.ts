/** Analyzes and stores clips: in a worker thread if there are many, else on this thread. */
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
  type Unusable,
  type ClipRequest
} from "./ClipAnalysis.ts"
import type { ClipAnswer, ClipWorkerRequest, ClipWritten } from "./ClipWorkerProtocol.ts"
import type { Decode } from "./ReceivedAudio.ts"

/** Analyzes a WAV file's bytes or samples and stores them as an utterance's clip. Takes ownership of the sound. */
export type MakeClip = (
  key: UtteranceKey,
  sound: Uint8Array | Pcm,
  wanted: ClipRequest
) => Effect.Effect<ClipWritten | Unusable, StateUnusable>

/** Functions for making clips. */
export interface ClipWork {
  readonly decode: Decode
  readonly makeClip: MakeClip
}

/** Smallest number of clips for which a worker thread is worth starting. */
const worthAThread = 200

/**
 * Returns the function that makes clips, in a thread if `count` is high enough. The thread lasts as long as the scope.
 */
export const clipMaker = (count: number): Effect.Effect<MakeClip, never, ClipFolder | Scope.Scope> => {
  const file = count < worthAThread ? undefined : builtProgram("clip-worker.mjs")
  return file === undefined ? analyzeInThisThread : inThread(file)
}

/** Makes clips on this thread. Long ones are analyzed step by step, so that polls are not delayed. */
export const analyzeInThisThread: Effect.Effect<MakeClip, never, ClipFolder> = Effect.map(
  ClipFolder,
  (clips): MakeClip =>
    Effect.fnUntraced(function* (key, sound, wanted) {
      const samples = receivedSamples(sound)
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

const inThread = (file: string): Effect.Effect<MakeClip, never, ClipFolder | Scope.Scope> =>
  Effect.gen(function* () {
    const { state, folder } = yield* ClipFolder
    const thread = yield* Effect.acquireRelease(
      Effect.sync((): ClipThread => new WorkerThread(file, { workerData: folder, resourceLimits })),
      ({ close }) => close
    )
    let going: Array<{ readonly order: ClipWorkerRequest; readonly settle: (answer: ClipAnswer) => void }> =
      []
    /**
     * Sends all requests of one event loop turn in one message. Each message has a fixed cost, and the worker waits for
     * the disk once per message.
     */
    const post = (order: ClipWorkerRequest, settle: (answer: ClipAnswer) => void) => {
      if (going.push({ order, settle }) > 1) return
      setImmediate(() => {
        const sent = going
        going = []
        thread.send(
          sent.map((each) => each.order),
          sent.map(({ order: { sound } }) => (sound instanceof Uint8Array ? sound : sound.samples).buffer),
          (answers) => {
            for (const [at, each] of sent.entries())
              each.settle(answers instanceof ThreadEnded ? ended(answers) : (answers[at] ?? ended()))
          }
        )
      })
    }
    return (key, sound, wanted) =>
      Effect.flatMap(
        Effect.async<ClipAnswer>((resume) =>
          post({ key, sound: owned(sound), wanted }, (answer) => resume(Effect.succeed(answer)))
        ),
        (answer) =>
          answer._tag === "Broken"
            ? failOrDie(state, Object.assign(new Error(answer.message), { code: answer.code }))
            : Effect.succeed(answer)
      )
  })

type ClipThread = WorkerThread<ReadonlyArray<ClipWorkerRequest>, ReadonlyArray<ClipAnswer>>

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
