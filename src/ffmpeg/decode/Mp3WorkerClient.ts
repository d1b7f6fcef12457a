/** Decodes plain MP3 files in worker threads: half the work of an ffmpeg process with temporary files. */
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import { builtProgram, resourceLimits } from "../../domain/values/BuiltProgram.ts"
import type { SampleRate } from "../../domain/time/Units.ts"

/** A request to a worker thread. */
export interface Mp3Order {
  readonly id: number
  readonly bytes: Uint8Array
  readonly rate: SampleRate
}

/** Its response; `samples` is undefined if the file must be left to ffmpeg. */
export interface Mp3Answer {
  readonly id: number
  readonly samples: Float32Array<ArrayBuffer> | undefined
}

/**
 * Decodes an MP3 file to samples at a rate. Undefined if it is not a plain MP3, or no worker is available: then ffmpeg
 * must decode it.
 */
export type DecodePlainMp3 = (bytes: Uint8Array, rate: SampleRate) => Effect.Effect<Pcm | undefined>

/** Maximum number of threads. One decodes about 100 clips per second; the second helps when many arrive at once. */
const mostThreads = Math.min(2, availableParallelism())

/** How many files must wait for a thread before another is started. */
const waitingForAnother = 8

/** A thread that does not respond within this time is stuck: it could have decoded hours of sound. */
const patience = "1 minute"

/** A thread pool that lives as long as the scope. The first thread starts with the first file. */
export const mp3Threads: Effect.Effect<DecodePlainMp3, never, Scope.Scope> = Effect.gen(function* () {
  const program = builtProgram("mp3-worker.mjs", import.meta.url, existsSync)
  if (program === undefined) return () => toOthers
  const threads: Array<Mp3Thread> = []
  yield* Effect.addFinalizer(() => Effect.forEach(threads, (thread) => thread.close, { discard: true }))

  const freest = (): Mp3Thread => {
    const [best] = [...threads].sort((a, b) => a.waiting - b.waiting)
    if (best !== undefined && (best.waiting < waitingForAnother || threads.length === mostThreads))
      return best
    const another = new Mp3Thread(program)
    threads.push(another)
    return another
  }

  return (bytes, rate) =>
    Effect.suspend(() => {
      const thread = freest()
      return thread.ask(bytes, rate).pipe(
        Effect.timeoutTo({
          duration: patience,
          onSuccess: (samples) => samples,
          onTimeout: () => thread.giveUp()
        }),
        Effect.map((samples) => (samples === undefined ? undefined : { rate, samples }))
      )
    })
})

const toOthers = Effect.sync(() => undefined)

/**
 * A thread and its pending requests. A thread that failed is not replaced, and decodes nothing more: a new one would
 * fail again.
 */
class Mp3Thread {
  private readonly worker: Worker
  private readonly pending = new Map<number, (samples: Float32Array | undefined) => void>()
  private count = 0
  private broken = false

  constructor(program: string) {
    // Discard what the decoder's package prints.
    this.worker = new Worker(program, { execArgv: [], stdout: true, stderr: true, resourceLimits })
    this.worker.stdout.resume()
    this.worker.stderr.resume()
    this.worker.on("message", ({ id, samples }: Mp3Answer) => {
      this.pending.get(id)?.(samples)
      this.pending.delete(id)
    })
    this.worker.on("error", () => this.giveUp())
    this.worker.on("exit", () => this.giveUp())
  }

  get waiting(): number {
    return this.pending.size
  }

  ask(bytes: Uint8Array, rate: SampleRate): Effect.Effect<Float32Array | undefined> {
    return Effect.async((resume) => {
      if (this.broken) return resume(toOthers)
      const id = ++this.count
      this.pending.set(id, (samples) => resume(Effect.succeed(samples)))
      // `bytes` may be a view of a larger buffer. Copy it, so that the buffer can be transferred.
      const own = new Uint8Array(bytes)
      const order: Mp3Order = { id, bytes: own, rate }
      this.worker.postMessage(order, [own.buffer])
    })
  }

  /** Marks the thread as failed: pending and later requests resolve to undefined, which leaves them to ffmpeg. */
  giveUp(): undefined {
    this.broken = true
    for (const tell of this.pending.values()) tell(undefined)
    this.pending.clear()
    void this.worker.terminate()
  }

  readonly close: Effect.Effect<void> = Effect.promise(() => this.worker.terminate())
}
