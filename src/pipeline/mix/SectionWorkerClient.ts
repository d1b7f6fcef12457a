/** Starts a worker thread that renders sections, and talks to it. */
import { MessageChannel, Worker } from "node:worker_threads"
import { Effect, Iterable, type Scope } from "effect"
import { builtProgram, resourceLimits } from "../../system/BuiltProgram.ts"
import { outcomes } from "../../ffmpeg/encode/PcmBlocks.ts"
import { feeds, type OrderResult } from "../../ffmpeg/encode/SampleSinks.ts"
import type { MixLine } from "./SectionRenderer.ts"
import {
  failureOf,
  type SectionResponse,
  type SectionFailure,
  type SectionRequest,
  slotBytes,
  type SomeLines,
  type ThreadStart
} from "./SectionWorkerProtocol.ts"

/** Path of the worker's bundle; undefined if it was not built. */
export const threadProgram = (): string | undefined => builtProgram("section-worker.mjs")

/**
 * Slots of a thread, 8 MiB: how far it may run ahead of an encoder. A minute of mono at 48 kHz
 * takes less, so that a thread can end its section while another one renders the section before.
 */
const slotCount = 16

/** Lines sent at once, about 400 bytes each: messages above 100 kB are garbage-collected late. */
const linesAtOnce = 32

/** Renders a section from its lines and returns the results in order. Only one call at a time. */
export type RenderSection = (
  section: SectionRequest,
  lines: Iterable<MixLine>,
  handOn: (result: OrderResult) => void
) => Effect.Effect<void, SectionFailure>

/** Starts a worker thread, which ends with the scope. */
export const openSectionWorker = (
  program: string,
  start: Pick<ThreadStart, "mastering" | "orders" | "clips">
): Effect.Effect<RenderSection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const isFed = feeds(start.orders)
    const count = isFed ? slotCount : 1
    const buffer = new SharedArrayBuffer(isFed ? count * slotBytes : 0)
    const slots = new SharedArrayBuffer(4 * count)
    const lines = new MessageChannel()
    const workerData: ThreadStart = { ...start, lines: lines.port2, buffer, slots }
    const transferList = [lines.port2]
    const worker = yield* Effect.acquireRelease(
      Effect.sync(() => new Worker(program, { workerData, transferList, execArgv: [], resourceLimits })),
      (thread) => Effect.promise(() => thread.terminate())
    )
    const fedFrom = ({
      slot,
      length,
      ...fed
    }: Extract<SectionResponse, { readonly kind: "fed" }>): OrderResult => ({
      ...fed,
      bytes: new Uint8Array(buffer, slot * slotBytes, length),
      taken: new Int32Array(slots, slot * Int32Array.BYTES_PER_ELEMENT, 1)
    })
    const send = (section: SectionRequest, its: Iterable<MixLine>) => {
      for (const some of Iterable.chunksOf(its, linesAtOnce))
        lines.port1.postMessage(some satisfies SomeLines)
      worker.postMessage(section)
    }
    /** What hears the responses to the present request. */
    let asked:
      { readonly hear: (answer: SectionResponse) => void; readonly die: (cause: unknown) => void } | undefined
    let death: { readonly cause: unknown } | undefined
    // A thread that dies is an internal error. It may die while it has nothing to do: without a listener, that would
    // end the process.
    const die = (cause: unknown) => {
      death ??= { cause }
      asked?.die(death.cause)
    }
    worker
      .on("message", (answer: SectionResponse) => asked?.hear(answer))
      .on("error", die)
      .on("exit", (code) => die(new Error(`a thread that renders sections ended with code ${code}`)))
    return (section, its, handOn) =>
      Effect.async<void, SectionFailure>((resume) => {
        const end = () => (asked = undefined)
        asked = {
          hear: (answer) => {
            if (answer.kind === "fed") return handOn(fedFrom(answer))
            if (answer.kind === "made") outcomes(answer.outcomes).forEach(handOn)
            end()
            resume(answer.kind === "failed" ? Effect.fail(answer.failure) : Effect.void)
          },
          die: (cause) => {
            end()
            resume(Effect.die(cause))
          }
        }
        if (death !== undefined) return asked.die(death.cause)
        try {
          send(section, its)
        } catch (cause) {
          end()
          resume(Effect.fail(failureOf(cause)))
        }
        return Effect.sync(end)
      })
  })
