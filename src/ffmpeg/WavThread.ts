/** WAV files written by a thread of their own, while this one mixes: half the time of a long programme. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import type { WavOrder } from "./Encode.ts"
import type { DiskFull, Unwritable } from "./Failures.ts"
import { refusalOf } from "./PartFile.ts"
import type { PcmBlock, Taker } from "./Taker.ts"

/** What the thread is started with: its files. */
export type WavOrders = ReadonlyArray<WavOrder>

/** What is said to the thread. */
export type ToThread =
  | {
      readonly kind: "block"
      /** The files that it is for. */
      readonly first: number
      readonly count: number
      readonly room: ArrayBuffer
      /** Samples in it, and whether they are integers. */
      readonly length: number
      readonly integers: boolean
    }
  | { readonly kind: "finish" }

/** What it says. Rooms come back when their samples are written. */
export type FromThread =
  | { readonly kind: "taken"; readonly room: ArrayBuffer }
  | { readonly kind: "finished" }
  | { readonly kind: "failed"; readonly file: number; readonly code: string; readonly words: string }

/** A file to be written, and where it will stand. */
export interface OrderedWav {
  readonly order: WavOrder
  readonly path: string
}

/** Blocks on their way to the thread, so that neither waits for the other. */
const mostWaiting = 8

/** The thread's program: beside the bundle, or in dist/ where the sources run as they are; undefined where it was not built. */
export const threadProgram = (): string | undefined =>
  ["./wav-worker.mjs", "../../dist/wav-worker.mjs"]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((file) => existsSync(file))

/** Starts a thread that writes the files of several requests; a taker for each. The files are closed when the scope is. */
export const wavThread = (
  program: string,
  requests: ReadonlyArray<ReadonlyArray<OrderedWav>>
): Effect.Effect<ReadonlyArray<Taker>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new WavThread(program, requests.flat())),
      (thread) => thread.close
    ),
    (thread) => {
      let open = requests.length
      return requests.map((files, at): Taker => {
        const first = requests.slice(0, at).flat().length
        return {
          send: (block) => thread.send(block, first, files.length),
          // The last to end waits for all of them.
          finish: Effect.suspend(() => (--open === 0 ? thread.finish : Effect.void))
        }
      })
    }
  )

class WavThread {
  private readonly worker: Worker
  private readonly spare: Array<ArrayBuffer> = []
  private waiting = 0
  private finished = false
  private fault: DiskFull | Unwritable | undefined
  /** What a thread died of: a fault in the program. */
  private death: Error | undefined
  /** Called when anything of this has changed. */
  private changed: () => void = () => undefined

  constructor(program: string, files: ReadonlyArray<OrderedWav>) {
    const workerData: WavOrders = files.map(({ order }) => order)
    this.worker = new Worker(program, { workerData, execArgv: [] })
    this.worker.on("message", (message: FromThread) => {
      switch (message.kind) {
        case "taken":
          this.spare.push(message.room)
          this.waiting--
          break
        case "finished":
          this.finished = true
          break
        case "failed": {
          const cause = Object.assign(new Error(message.words), { code: message.code })
          this.fault ??= refusalOf(files[message.file]?.path ?? "", cause)
        }
      }
      this.changed()
    })
    this.worker.on("error", (cause) => {
      this.death = cause instanceof Error ? cause : new Error(String(cause))
      this.changed()
    })
  }

  /** Copies a block and sends it on; returns when there is room for more. */
  send(block: PcmBlock, first: number, count: number): Effect.Effect<void, DiskFull | Unwritable> {
    return Effect.suspend(() => {
      const size = block.byteLength
      const at = this.spare.findIndex((room) => room.byteLength >= size)
      const room = at < 0 ? new ArrayBuffer(size) : (this.spare.splice(at, 1)[0] ?? new ArrayBuffer(size))
      new Uint8Array(room).set(new Uint8Array(block.buffer, block.byteOffset, size))
      const integers = block instanceof Int16Array
      this.post({ kind: "block", first, count, room, length: block.length, integers }, [room])
      this.waiting++
      return this.until(() => this.waiting < mostWaiting)
    })
  }

  /** Brings all files to their end. */
  readonly finish: Effect.Effect<void, DiskFull | Unwritable> = Effect.suspend(() => {
    this.post({ kind: "finish" }, [])
    return this.until(() => this.finished)
  })

  /** Ends the thread; what it had open is closed with it. */
  readonly close: Effect.Effect<void> = Effect.promise(() => this.worker.terminate())

  private post(message: ToThread, rooms: ReadonlyArray<ArrayBuffer>): void {
    this.worker.postMessage(message, rooms)
  }

  private until(reached: () => boolean): Effect.Effect<void, DiskFull | Unwritable> {
    return Effect.async((resume) => {
      const look = () => {
        if (this.death !== undefined) resume(Effect.die(this.death))
        else if (this.fault !== undefined) resume(Effect.fail(this.fault))
        else if (reached()) resume(Effect.void)
        else return
        this.changed = () => undefined
      }
      this.changed = look
      look()
    })
  }
}
