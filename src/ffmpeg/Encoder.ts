/** Encoding as it is run: blocks of PCM from a stream into one ffmpeg, and its files put in place when they are whole. */
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { PassThrough } from "node:stream"
import { Effect, Stream } from "effect"
import type { Binary } from "./Binary.ts"
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

/** Bytes that wait between the mix and ffmpeg, so that neither starves. */
const waitingBytes = 1024 * 1024

/** Encodes all sinks in one pass. Blocks that come to another length than the feed announces are a fault in the program. */
export const encodeAll = <E = never, R = never>(
  binary: Binary,
  request: EncodeRequest,
  blocks: PcmBlocks<E, R>
): Effect.Effect<void, E | FfmpegFailed | DiskFull | Unwritable, R> =>
  inTemporaryFolder((folder) => {
    const paths = request.sinks.map(({ path }) => resolve(path))
    return writingWhole(paths, (partOf) =>
      Effect.gen(function* () {
        const chapters = yield* chaptersFile(request.chapters ?? [], folder)
        const placed = request.sinks.map((sink) => ({ sink, part: partOf(resolve(sink.path)) }))
        const feed = new PassThrough({ highWaterMark: waitingBytes })
        const encoding = runJob(binary, encodeJob(request.feed, placed, chapters), feed).pipe(
          Effect.mapError((failure) =>
            saysDiskFull(failure.stderrTail) ? new DiskFull({ path: request.sinks[0].path }) : failure
          )
        )
        yield* Effect.all([encoding, pump(blocks, request.feed, feed)], {
          concurrency: "unbounded",
          discard: true
        })
      })
    )
  })

const chaptersFile = (chapters: ReadonlyArray<Chapter>, folder: string) =>
  Effect.gen(function* () {
    if (chapters.length === 0) return undefined
    const path = join(folder, "chapters.txt")
    yield* attempt(path, () => writeFile(path, chaptersText(chapters)))
    return path
  })

/** Writes every block, waiting where ffmpeg is slower; goes on to count them where ffmpeg has all it wants. */
const pump = <E, R>(
  blocks: PcmBlocks<E, R>,
  announced: PcmFeed,
  feed: PassThrough
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    let samples = 0
    yield* Stream.runForEach(streamOf(blocks), (block) => {
      samples += block.length
      return written(feed, Buffer.copyBytesFrom(block))
    })
    if (samples !== announced.frames * announced.channels) {
      return yield* Effect.dieMessage(
        `the mix came to ${samples} samples where ${announced.frames * announced.channels} were announced`
      )
    }
    yield* Effect.sync(() => feed.end())
  })

const streamOf = <E, R>(blocks: PcmBlocks<E, R>): Stream.Stream<PcmBlock, E, R> =>
  Symbol.asyncIterator in blocks || Symbol.iterator in blocks
    ? Stream.orDie(Stream.fromAsyncIterable(asynchronous(blocks), (cause) => cause))
    : blocks

const asynchronous = async function* (blocks: Iterable<PcmBlock> | AsyncIterable<PcmBlock>) {
  yield* blocks
}

const written = (feed: PassThrough, bytes: Buffer): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (feed.destroyed || feed.write(bytes)) {
      resume(Effect.void)
      return
    }
    const goOn = () => {
      feed.off("drain", goOn).off("close", goOn)
      resume(Effect.void)
    }
    feed.once("drain", goOn).once("close", goOn)
  })
