/** Encoding as it is run: blocks of PCM from a stream into one ffmpeg, and its files put in place when they are whole. */
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Stream } from "effect"
import type { Binary } from "./Binary.ts"
import { BlockFeed } from "./BlockFeed.ts"
import { type Chapter, chaptersText } from "./Chapters.ts"
import { type AudioSink, encodeJob, type PcmFeed } from "./Encode.ts"
import { DiskFull, type FfmpegFailed, saysDiskFull, type Unwritable } from "./Failures.ts"
import { runJob } from "./Fluent.ts"
import { attempt, inTemporaryFolder, writingWhole } from "./PartFile.ts"

/** Interleaved samples as the feed announces them. They are copied before the next block is asked for. */
export type PcmBlock = Float32Array | Int16Array

/** What is encoded, and where to. */
export interface EncodeRequest {
  readonly feed: PcmFeed
  readonly sinks: readonly [AudioSink, ...ReadonlyArray<AudioSink>]
  readonly chapters?: ReadonlyArray<Chapter>
}

/** Blocks as a stream, or as what a generator yields: an exception out of a generator is a fault in the program. */
export type PcmBlocks<E, R> = Stream.Stream<PcmBlock, E, R> | Iterable<PcmBlock> | AsyncIterable<PcmBlock>

/** Encodes all sinks in one pass. Blocks that come to another length than the feed announces are a fault in the program. */
export const encodeOne = <E = never, R = never>(
  binary: Binary,
  request: EncodeRequest,
  blocks: PcmBlocks<E, R>
): Effect.Effect<void, E | FfmpegFailed | DiskFull | Unwritable, R> =>
  encodeAll(
    binary,
    [request],
    Stream.map(streamOf(blocks), (block) => [block])
  )

/**
 * The same for several feeds that come together: each element of the stream holds the next block of every request, in their
 * order. Each has an ffmpeg of its own; either all files are put in place or none.
 */
export const encodeAll = <E, R>(
  binary: Binary,
  requests: ReadonlyArray<EncodeRequest>,
  blocks: Stream.Stream<ReadonlyArray<PcmBlock>, E, R>
): Effect.Effect<void, E | FfmpegFailed | DiskFull | Unwritable, R> =>
  inTemporaryFolder((folder) => {
    const paths = requests.flatMap(({ sinks }) => sinks.map(({ path }) => resolve(path)))
    return writingWhole(paths, (partOf) =>
      Effect.gen(function* () {
        const fed = requests.map((request) => ({ request, feed: new BlockFeed() }))
        const encoding = Effect.forEach(
          fed,
          ({ request, feed }, at) => encodeRequest(binary, request, feed, join(folder, `${at}.txt`), partOf),
          { concurrency: "unbounded", discard: true }
        )
        yield* Effect.all([encoding, pump(blocks, fed)], { concurrency: "unbounded", discard: true })
      })
    )
  })

/** Runs the ffmpeg of one request to its end. */
const encodeRequest = Effect.fnUntraced(function* (
  binary: Binary,
  { feed, sinks, chapters = [] }: EncodeRequest,
  bytes: BlockFeed,
  chaptersPath: string,
  partOf: (path: string) => string
) {
  if (chapters.length > 0) yield* attempt(chaptersPath, () => writeFile(chaptersPath, chaptersText(chapters)))
  const placed = sinks.map((sink) => ({ sink, part: partOf(resolve(sink.path)) }))
  const job = encodeJob(feed, placed, chapters.length > 0 ? chaptersPath : undefined)
  yield* runJob(binary, job, bytes).pipe(
    Effect.mapError((failure) =>
      saysDiskFull(failure.stderrTail) ? new DiskFull({ path: sinks[0].path }) : failure
    )
  )
})

interface Fed {
  readonly request: EncodeRequest
  readonly feed: BlockFeed
}

/** Writes every block, waiting where an ffmpeg is slower; goes on to count them where one has all it wants. */
const pump = <E, R>(
  blocks: Stream.Stream<ReadonlyArray<PcmBlock>, E, R>,
  fed: ReadonlyArray<Fed>
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const samples = fed.map(() => 0)
    yield* Stream.runForEach(blocks, (together) =>
      Effect.forEach(
        fed,
        ({ feed }, at) => {
          const block = together[at]
          if (block === undefined || block.length === 0) return Effect.void
          samples[at] = (samples[at] ?? 0) + block.length
          return feed.send(block)
        },
        { discard: true }
      )
    )
    for (const [at, { request, feed }] of fed.entries()) {
      const announced = request.feed.frames * request.feed.channels
      if (samples[at] !== announced) {
        return yield* Effect.dieMessage(
          `the mix came to ${samples[at]} samples where ${announced} were announced`
        )
      }
      yield* feed.finish
    }
  })

const streamOf = <E, R>(blocks: PcmBlocks<E, R>): Stream.Stream<PcmBlock, E, R> =>
  Symbol.asyncIterator in blocks || Symbol.iterator in blocks
    ? Stream.orDie(Stream.fromAsyncIterable(asynchronous(blocks), (cause) => cause))
    : blocks

const asynchronous = async function* (blocks: Iterable<PcmBlock> | AsyncIterable<PcmBlock>) {
  yield* blocks
}
