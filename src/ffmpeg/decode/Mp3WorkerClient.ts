/** Plain MP3 files decoded in this process, without a start of ffmpeg and files between: half its work. */
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import { builtProgram, resourceLimits } from "../../domain/values/BuiltProgram.ts"
import type { SampleRate } from "../../domain/time/Units.ts"

/** What is said to a thread. */
export interface Mp3Order {
  readonly id: number
  readonly bytes: Uint8Array
  readonly rate: SampleRate
}

/** What it says. */
export interface Mp3Answer {
  readonly id: number
  readonly samples: Float32Array<ArrayBuffer> | undefined
}

/**
 * Decodes an MP3 file to samples at a rate; undefined where it is no plain one, or where there is no thread to do it:
 * then it is ffmpeg's to decode and to judge.
 */
export type DecodePlainMp3 = (bytes: Uint8Array, rate: SampleRate) => Effect.Effect<Pcm | undefined>

/** Threads at most. One decodes some hundred clips a second: the second is for clips that were all there at once. */
const mostThreads = Math.min(2, availableParallelism())

/** Files that wait for a thread before another is started. */
const waitingForAnother = 8

/** A thread that has not answered for so long is stuck: some hours of sound are decoded in that time. */
const patience = "1 minute"

/** Threads that last as long as the scope; the first is started when there is something to decode. */
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
 * A thread, and who waits for it. One that broke down stays in its place and decodes nothing: it would break down
 * again.
 */
class Mp3Thread {
  private readonly worker: Worker
  private readonly asked = new Map<number, (samples: Float32Array | undefined) => void>()
  private count = 0
  private broken = false

  constructor(program: string) {
    // What the decoder's package prints is for nobody.
    this.worker = new Worker(program, { execArgv: [], stdout: true, stderr: true, resourceLimits })
    this.worker.stdout.resume()
    this.worker.stderr.resume()
    this.worker.on("message", ({ id, samples }: Mp3Answer) => {
      this.asked.get(id)?.(samples)
      this.asked.delete(id)
    })
    this.worker.on("error", () => this.giveUp())
    this.worker.on("exit", () => this.giveUp())
  }

  get waiting(): number {
    return this.asked.size
  }

  ask(bytes: Uint8Array, rate: SampleRate): Effect.Effect<Float32Array | undefined> {
    return Effect.async((resume) => {
      if (this.broken) return resume(toOthers)
      const id = ++this.count
      this.asked.set(id, (samples) => resume(Effect.succeed(samples)))
      // Bytes as they came may be a part of a larger piece of memory: what is handed over is the thread's alone.
      const own = new Uint8Array(bytes)
      const order: Mp3Order = { id, bytes: own, rate }
      this.worker.postMessage(order, [own.buffer])
    })
  }

  /** Whatever waits is left to others, and so is all that is asked from now on. */
  giveUp(): undefined {
    this.broken = true
    for (const tell of this.asked.values()) tell(undefined)
    this.asked.clear()
    void this.worker.terminate()
  }

  readonly close: Effect.Effect<void> = Effect.promise(() => this.worker.terminate())
}
