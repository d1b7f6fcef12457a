/** Decodes plain MP3 files in worker threads: half the work of an ffmpeg process with temporary files. */
import { availableParallelism } from "node:os"
import { Effect, type Scope } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { builtProgram, resourceLimits } from "../../system/BuiltProgram.ts"
import { ThreadEnded, WorkerThread } from "../../system/WorkerThread.ts"

/** A request to a worker thread. */
export interface Mp3Request {
  readonly bytes: Uint8Array
  readonly rate: SampleRate
  /** The longest accepted sound in seconds. */
  readonly most: number
}

/** Its response; undefined if the file must be left to ffmpeg. */
export type Mp3Response = Float32Array<ArrayBuffer> | undefined

/**
 * Decodes an MP3 file to samples at a rate. Undefined if it is not a plain MP3, or no worker is available: then ffmpeg
 * must decode it.
 */
export type DecodePlainMp3 = (
  bytes: Uint8Array,
  rate: SampleRate,
  most: number
) => Effect.Effect<Pcm | undefined>

/** Maximum number of threads. One decodes about 100 clips per second; the second helps when many arrive at once. */
const maxThreads = Math.min(2, availableParallelism())

/** How many files must wait for a thread before another is started. */
const waitingForAnother = 8

/** A thread that does not respond within this time is stuck: it could have decoded hours of sound. */
const patience = "1 minute"

/**
 * A thread pool that lives as long as the scope. The first thread starts with the first file. A thread that failed is
 * not replaced, since a new one would fail again: ffmpeg decodes its files instead.
 */
export const mp3Threads: Effect.Effect<DecodePlainMp3, never, Scope.Scope> = Effect.gen(function* () {
  const program = builtProgram("mp3-worker.mjs")
  if (program === undefined) return () => toOthers
  const threads: Array<Mp3Thread> = []
  yield* Effect.addFinalizer(() => Effect.forEach(threads, (thread) => thread.close, { discard: true }))

  const freest = (): Mp3Thread => {
    const [best] = [...threads].sort((a, b) => a.waiting - b.waiting)
    if (best !== undefined && (best.waiting < waitingForAnother || threads.length === maxThreads)) return best
    const another: Mp3Thread = new WorkerThread(program, { resourceLimits })
    threads.push(another)
    return another
  }

  const decode: DecodePlainMp3 = (bytes, rate, most) =>
    Effect.suspend(() => {
      const thread = freest()
      if (thread.ended !== undefined) return toOthers
      // `bytes` may be a view of a larger buffer. Copy it, so that the buffer can be transferred.
      const own = new Uint8Array(bytes)
      return thread.ask({ bytes: own, rate, most }, [own.buffer]).pipe(
        Effect.timeoutFail({ duration: patience, onTimeout: () => new ThreadEnded({ detail: "is stuck" }) }),
        Effect.map((samples) => (samples === undefined ? undefined : { rate, samples })),
        Effect.catchTag("ThreadEnded", () => Effect.zipRight(thread.close, toOthers))
      )
    })
  return decode
})

type Mp3Thread = WorkerThread<Mp3Request, Mp3Response>

const toOthers = Effect.succeed(undefined)
