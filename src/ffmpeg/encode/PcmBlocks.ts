/** Carries out encoding orders in this thread, for samples that arrive in blocks. */
import { Effect, Stream } from "effect"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import type { Made, Maker } from "./Encoder.ts"
import type { DiskFull, Unwritable } from "../process/FfmpegErrors.ts"
import { SinkFault, SampleSinks, type RequestOrder } from "./SampleSinks.ts"
import { writeRefusal } from "../process/PartFile.ts"

/** Blocks as a stream or from a generator. An exception thrown by a generator is a defect. */
export type PcmBlocks<E, R> =
  Stream.Stream<Float32Array, E, R> | Iterable<Float32Array> | AsyncIterable<Float32Array>

/**
 * Carries out orders on the blocks of several requests. Each stream element holds the next block of every request. The
 * blocks must come to `frames` frames of `channels` channels; another length is a defect.
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
        const sinks = yield* Effect.acquireRelease(
          handled(
            orders,
            () => new SampleSinks(orders, section, (order, bytes) => made.push(fed(order, bytes)))
          ),
          (open) => Effect.sync(() => open.close())
        )
        let samples = 0
        const taken = Stream.mapEffect(blocks, (some) => {
          samples += some[0]?.length ?? 0
          return handled(orders, () => sinks.take(some))
        })
        const finished = Stream.fromEffect(
          Effect.suspend(() =>
            samples === frames * channels
              ? handled(orders, () => made.push(...measureBlocks(sinks.finish())))
              : Effect.dieMessage(
                  `the blocks have ${samples} samples in total, but ${frames * channels} were expected`
                )
          )
        )
        return Stream.concat(taken, finished).pipe(Stream.mapConcat(() => made.splice(0)))
      })
    )

/** Turns a generator's blocks into a stream. */
export const streamOf = <E, R>(blocks: PcmBlocks<E, R>): Stream.Stream<Float32Array, E, R> =>
  Symbol.asyncIterator in blocks || Symbol.iterator in blocks
    ? Stream.orDie(Stream.fromAsyncIterable(asynchronous(blocks), (cause) => cause))
    : blocks

const asynchronous = async function* (blocks: Iterable<Float32Array> | AsyncIterable<Float32Array>) {
  yield* blocks
}

/** Wraps a copy of bytes, since their buffer is reused. */
export const fed = (order: number, bytes: Uint8Array): Made => ({
  kind: "fed",
  order,
  bytes: bytes.slice(),
  taken: () => undefined
})

/** Wraps the measurements of a section's orders. */
export const measureBlocks = (all: ReadonlyArray<SectionMeasurement | undefined>): ReadonlyArray<Made> =>
  all.flatMap((heard, order): ReadonlyArray<Made> =>
    heard === undefined ? [] : [{ kind: "heard", order, heard }]
  )

/** Runs a step of the sinks. A file system error is reported with the path of its sink. */
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

/** Maps the I/O error of an order to an error that names its file. */
export const refusalAt = (
  orders: ReadonlyArray<RequestOrder>,
  order: number,
  cause: unknown
): DiskFull | Unwritable => {
  const refused = orders[order]?.order
  return writeRefusal(refused?.kind === "wav" ? refused.path : "", cause)
}
