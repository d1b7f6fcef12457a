/** WAV files written and measures taken by a thread of their own, while this one mixes: half the time of a long programme. */
import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import { builtProgram } from "../domain/BuiltProgram.ts"
import type { Measures } from "../audio/Listener.ts"
import type { DiskFull, Unwritable } from "./Failures.ts"
import { byRequest, type HandOrder, pathOf } from "./Hand.ts"
import { refusalOf } from "./PartFile.ts"
import type { Hands, PcmBlock } from "./Taker.ts"

/** What the thread is started with. */
export type HandOrders = ReadonlyArray<HandOrder>

/** What is said to the thread. */
export type ToThread =
  | {
      readonly kind: "block"
      /** The orders that it is for. */
      readonly first: number
      readonly count: number
      readonly room: ArrayBuffer
      /** Samples in it, and whether they are integers. */
      readonly length: number
      readonly integers: boolean
    }
  | { readonly kind: "finish" }

/** What it says. Rooms come back when their samples are done with. */
export type FromThread =
  | { readonly kind: "taken"; readonly room: ArrayBuffer }
  /** What each order heard. */
  | { readonly kind: "finished"; readonly heard: ReadonlyArray<Measures | undefined> }
  | { readonly kind: "failed"; readonly order: number; readonly code: string; readonly words: string }

/** Blocks on their way to the thread, so that neither waits for the other. */
const mostWaiting = 8

/** The thread's program; undefined where it was not built. */
export const threadProgram = (): string | undefined =>
  builtProgram("hand-worker.mjs", import.meta.url, existsSync)

/** Starts a thread that works for several requests. What it has open is closed when the scope is. */
export const handThread = (
  program: string,
  requests: ReadonlyArray<HandOrders>
): Effect.Effect<Hands, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new HandThread(program, requests.flat())),
      (thread) => thread.close
    ),
    (thread) => ({
      send: requests.map((orders, at) => {
        const first = requests.slice(0, at).flat().length
        return (block) => (orders.length === 0 ? Effect.void : thread.send(block, first, orders.length))
      }),
      finish: Effect.map(thread.finish, (heard) => byRequest(requests, heard))
    })
  )

class HandThread {
  private readonly worker: Worker
  private readonly spare: Array<ArrayBuffer> = []
  private waiting = 0
  private heard: ReadonlyArray<Measures | undefined> | undefined
  private fault: DiskFull | Unwritable | undefined
  /** What a thread died of: a fault in the program. */
  private death: Error | undefined
  /** Called when anything of this has changed. */
  private changed: () => void = () => undefined

  constructor(program: string, orders: HandOrders) {
    this.worker = new Worker(program, { workerData: orders, execArgv: [] })
    this.worker.on("message", (message: FromThread) => {
      switch (message.kind) {
        case "taken":
          this.spare.push(message.room)
          this.waiting--
          break
        case "finished":
          this.heard = message.heard
          break
        case "failed": {
          const cause = Object.assign(new Error(message.words), { code: message.code })
          const order = orders[message.order]
          this.fault ??= refusalOf(order === undefined ? "" : pathOf(order), cause)
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

  /** Brings everything to its end. */
  readonly finish: Effect.Effect<ReadonlyArray<Measures | undefined>, DiskFull | Unwritable> = Effect.suspend(
    () => {
      this.post({ kind: "finish" }, [])
      return Effect.map(
        this.until(() => this.heard !== undefined),
        () => this.heard ?? []
      )
    }
  )

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
