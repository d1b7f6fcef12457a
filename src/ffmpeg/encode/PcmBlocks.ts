/** Samples that come as they are, block by block, and what is done with them in this thread. */
import { Effect, Stream } from "effect"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import type { Made, Maker } from "./Encoder.ts"
import type { DiskFull, Unwritable } from "../process/FfmpegErrors.ts"
import { SinkFault, SampleSinks, type RequestOrder } from "./SampleSinks.ts"
import { writeRefusal } from "../process/PartFile.ts"

/** Blocks as a stream, or as what a generator yields: an exception out of a generator is a fault in the program. */
export type PcmBlocks<E, R> =
  Stream.Stream<Float32Array, E, R> | Iterable<Float32Array> | AsyncIterable<Float32Array>

/**
 * Does what is ordered with blocks of several requests, so many samples of each in all: an element of the stream holds
 * the next block of every request, in their order. Blocks that come to another length are a fault in the program.
 */
export const writeBlocks =
  <E, R>(
    blocks: Stream.Stream<ReadonlyArray<Float32Array>, E, R>,
    frames: number,
    channels: number
  ): Maker<E | DiskFull | Unwritable, R> =>
  (orders) =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const made: Array<Made> = []
        const section = { begin: 0, from: 0, to: frames, end: frames }
        const hands = yield* Effect.acquireRelease(
          handled(
            orders,
            () => new SampleSinks(orders, section, (order, bytes) => made.push(fed(order, bytes)))
          ),
          (open) => Effect.sync(() => open.close())
        )
        let samples = 0
        const taken = Stream.mapEffect(blocks, (some) => {
          samples += some[0]?.length ?? 0
          return handled(orders, () => hands.take(some))
        })
        const finished = Stream.fromEffect(
          Effect.suspend(() =>
            samples === frames * channels
              ? handled(orders, () => made.push(...measureBlocks(hands.finish())))
              : Effect.dieMessage(
                  `the blocks came to ${samples} samples where ${frames * channels} were announced`
                )
          )
        )
        return Stream.concat(taken, finished).pipe(Stream.mapConcat(() => made.splice(0)))
      })
    )

/** The blocks of a generator as a stream. */
export const streamOf = <E, R>(blocks: PcmBlocks<E, R>): Stream.Stream<Float32Array, E, R> =>
  Symbol.asyncIterator in blocks || Symbol.iterator in blocks
    ? Stream.orDie(Stream.fromAsyncIterable(asynchronous(blocks), (cause) => cause))
    : blocks

const asynchronous = async function* (blocks: Iterable<Float32Array> | AsyncIterable<Float32Array>) {
  yield* blocks
}

/** Bytes as they are now: what they were made in is used again. */
export const fed = (order: number, bytes: Uint8Array): Made => ({
  kind: "fed",
  order,
  bytes: bytes.slice(),
  taken: () => undefined
})

/** What a section's orders have heard. */
export const measureBlocks = (all: ReadonlyArray<SectionMeasurement | undefined>): ReadonlyArray<Made> =>
  all.flatMap((heard, order): ReadonlyArray<Made> =>
    heard === undefined ? [] : [{ kind: "heard", order, heard }]
  )

/** A step with what is ordered; the file system's refusal is told by the path it concerns. */
const handled = <A>(
  orders: ReadonlyArray<RequestOrder>,
  step: () => A
): Effect.Effect<A, DiskFull | Unwritable> =>
  Effect.try(step).pipe(
    Effect.catchAll(({ error }) =>
      error instanceof SinkFault
        ? Effect.fail(refusalAt(orders, error.order, error.cause))
        : Effect.die(error)
    )
  )

/** What the file system's refusal of an order comes to. */
export const refusalAt = (
  orders: ReadonlyArray<RequestOrder>,
  order: number,
  cause: unknown
): DiskFull | Unwritable => {
  const refused = orders[order]?.order
  return writeRefusal(refused?.kind === "wav" ? refused.path : "", cause)
}
