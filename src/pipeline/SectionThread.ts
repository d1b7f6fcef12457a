/** A thread that makes sections of a programme, seen from the delivery. */
import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import { builtProgram } from "../domain/BuiltProgram.ts"
import type { Made } from "../ffmpeg/Encoder.ts"
import { heardOf } from "../ffmpeg/Blocks.ts"
import { feeds } from "../ffmpeg/Hands.ts"
import {
  type SectionAnswer,
  type SectionFailure,
  type SectionOrder,
  slotBytes,
  type ThreadStart
} from "./SectionOrder.ts"

/** The thread's program; undefined where it was not built. */
export const threadProgram = (): string | undefined =>
  builtProgram("section-worker.mjs", import.meta.url, existsSync)

/** Slots of a thread: what it may be ahead of ffmpeg, 3 MiB. */
const slotCount = 6

/** What a thread throws away is little and short-lived, in MB: with more room for it, it would only be larger. */
const resourceLimits = { maxYoungGenerationSizeMb: 3 }

/** Makes a section and hands on what comes of it, in order. Only one at a time. */
export type MakeSection = (
  order: SectionOrder,
  handOn: (made: Made) => void
) => Effect.Effect<void, SectionFailure>

/** Starts a thread, which ends with the scope. */
export const sectionThread = (
  program: string,
  start: Pick<ThreadStart, "mastering" | "orders">
): Effect.Effect<MakeSection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const isFed = feeds(start.orders)
    const count = isFed ? slotCount : 1
    const room = new SharedArrayBuffer(isFed ? count * slotBytes : 0)
    const slots = new SharedArrayBuffer(4 * count)
    const taken = new Int32Array(slots)
    const workerData: ThreadStart = { ...start, room, slots }
    const worker = yield* Effect.acquireRelease(
      Effect.sync(() => new Worker(program, { workerData, execArgv: [], resourceLimits })),
      (thread) => Effect.promise(() => thread.terminate())
    )
    const fedFrom = (order: number, slot: number, length: number): Made => ({
      kind: "fed",
      order,
      bytes: new Uint8Array(room, slot * slotBytes, length),
      taken: () => {
        Atomics.store(taken, slot, 0)
        Atomics.notify(taken, slot)
      }
    })
    return (order, handOn) =>
      Effect.async<void, SectionFailure>((resume) => {
        const hear = (answer: SectionAnswer) => {
          if (answer.kind === "fed") return handOn(fedFrom(answer.order, answer.slot, answer.length))
          if (answer.kind === "made") heardOf(answer.heard).forEach(handOn)
          end()
          resume(answer.kind === "failed" ? Effect.fail(answer.failure) : Effect.void)
        }
        // A thread that dies is a fault in the program.
        const die = (cause: unknown) => {
          end()
          resume(Effect.die(cause))
        }
        const end = () => worker.off("message", hear).off("error", die)
        worker.on("message", hear).on("error", die)
        worker.postMessage(order)
        return Effect.sync(end)
      })
  })
