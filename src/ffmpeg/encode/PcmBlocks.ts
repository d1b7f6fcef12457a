/** Carries out encoding orders in this thread, for samples that arrive in blocks. */
import { Effect, Stream } from "effect"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import type { PcmFeed } from "./EncodeJob.ts"
import type { DiskFull, Unwritable } from "../process/FfmpegErrors.ts"
import {
  type OrderBytes,
  type OrderResult,
  SinkFault,
  SampleSinks,
  type RequestOrder
} from "./SampleSinks.ts"
import { writeRefusal } from "../process/FileFaults.ts"

/** Blocks as a stream or from a generator. An exception thrown by a generator is a defect. */
export type PcmBlocks<E, R> =
  Stream.Stream<Float32Array, E, R> | Iterable<Float32Array> | AsyncIterable<Float32Array>

/**
 * Carries out orders on the blocks of several requests. Each stream element holds the next block of every request. The
 * blocks must come to the feed's length; another length is a defect.
 */
export const writeBlocks = <E, R>(
  blocks: Stream.Stream<ReadonlyArray<Float32Array>, E, R>,
  orders: ReadonlyArray<RequestOrder>,
  { frames, channels }: Pick<PcmFeed, "frames" | "channels">
): Stream.Stream<OrderResult, E | DiskFull | Unwritable, R> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const section = { begin: 0, from: 0, to: frames, end: frames }
      const sinks = yield* Effect.acquireRelease(
        handled(orders, () => new SampleSinks(orders, section)),
        (open) => Effect.sync(() => open.close())
      )
      let samples = 0
      const taken = Stream.mapEffect(blocks, (some) => {
        samples += some[0]?.length ?? 0
        return handled(orders, () => sinks.take(some).map(fedCopy))
      })
      const rest = Effect.suspend(() =>
        samples === frames * channels
          ? handled(orders, () => [
              ...Array.from(sinks.rest(), (some) => some.map(fedCopy)).flat(),
              ...outcomes(sinks.outcomes())
            ])
          : Effect.dieMessage(
              `the blocks have ${samples} samples in total, but ${frames * channels} were expected`
            )
      )
      return Stream.concat(taken, Stream.fromEffect(rest)).pipe(Stream.mapConcat((results) => results))
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

/** Copies bytes, since their buffer is reused. */
export const fedCopy = (made: OrderBytes): OrderResult => ({
  ...made,
  kind: "fed",
  bytes: made.bytes.slice()
})

/** Wraps the measurements of a section, which are by order index. */
export const outcomes = (all: ReadonlyArray<SectionMeasurement | undefined>): ReadonlyArray<OrderResult> =>
  all.flatMap((heard, order) => (heard === undefined ? [] : [{ kind: "heard", order, heard }]))

/** Runs a step of the sinks. A file system error is reported with the path of its sink. */
const handled = <A>(orders: ReadonlyArray<RequestOrder>, step: () => A) =>
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
  return writeRefusal(refused !== undefined && "path" in refused ? refused.path : "", cause)
}
