/** Encoding as it is run: blocks of PCM from a stream into files, by ffmpeg or without it; put in place when they are whole. */
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Array, Effect, Stream } from "effect"
import type { Measures } from "../audio/Listener.ts"
import type { Binary } from "./Binary.ts"
import { BlockFeed } from "./BlockFeed.ts"
import { type Chapter, chaptersText } from "./Chapters.ts"
import { type AudioSink, encodeJob, finishedFor, type PcmFeed, type PlacedSink, wavOrder } from "./Encode.ts"
import { DiskFull, type FfmpegFailed, saysDiskFull, type Unwritable } from "./Failures.ts"
import { runJob } from "./Fluent.ts"
import { attempt, inTemporaryFolder, writingWhole } from "./PartFile.ts"
import { handThread, threadProgram } from "./HandThread.ts"
import { feeding, feedingFinished, type Hands, handsHere, type PcmBlock, type Taker } from "./Taker.ts"

/** What is encoded, and where to. */
export interface EncodeRequest {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<AudioSink>
  readonly chapters?: ReadonlyArray<Chapter>
  /** Whether its samples, which must be floats, are measured while they pass. */
  readonly listen?: boolean
}

/** Blocks as a stream, or as what a generator yields: an exception out of a generator is a fault in the program. */
export type PcmBlocks<E, R> = Stream.Stream<PcmBlock, E, R> | Iterable<PcmBlock> | AsyncIterable<PcmBlock>

/** Encodes all sinks in one pass. Blocks that come to another length than the feed announces are a fault in the program. */
export const encodeOne = <E = never, R = never>(
  binary: Binary,
  request: EncodeRequest,
  blocks: PcmBlocks<E, R>
): Effect.Effect<void, E | FfmpegFailed | DiskFull | Unwritable, R> =>
  Effect.asVoid(
    encodeAll(
      binary,
      [request],
      Stream.map(streamOf(blocks), (block) => [block])
    )
  )

/**
 * The same for several feeds that come together: each element of the stream holds the next block of every request, in their
 * order. Each has an ffmpeg of its own; either all files are put in place or none. Returns what each request measures, where it is
 * listened to.
 */
export const encodeAll = <E, R>(
  binary: Binary,
  requests: ReadonlyArray<EncodeRequest>,
  blocks: Stream.Stream<ReadonlyArray<PcmBlock>, E, R>
): Effect.Effect<ReadonlyArray<Measures | undefined>, E | FfmpegFailed | DiskFull | Unwritable, R> =>
  inTemporaryFolder((folder) => {
    const paths = requests.flatMap(({ sinks }) => sinks.map(({ path }) => resolve(path)))
    return writingWhole(paths, (partOf) =>
      Effect.scoped(
        Effect.gen(function* () {
          const placed = requests.map(({ sinks, ...request }): Placed => ({
            ...request,
            sinks: sinks.map((sink) => ({ sink, part: partOf(resolve(sink.path)) }))
          }))
          const jobs = placed.flatMap((request, at) => jobsOf(request, join(folder, `${at}.txt`)))
          const hands = yield* handsFor(placed)
          const takers = placed.map((request) =>
            jobs.flatMap((job) => (job.request === request ? [job.taker] : []))
          )
          const encoding = Effect.forEach(jobs, (job) => encodeJobOf(binary, job), {
            concurrency: "unbounded",
            discard: true
          })
          const [, heard] = yield* Effect.all([encoding, pump(blocks, placed, takers, hands)], {
            concurrency: "unbounded"
          })
          return heard
        })
      )
    )
  })

/** A request, its files with the places where they are written. */
interface Placed {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<PlacedSink>
  readonly chapters?: ReadonlyArray<Chapter>
  readonly listen?: boolean
}

/** An ffmpeg to be run, and what gives it its samples. */
interface FedJob {
  readonly request: Placed
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<PlacedSink>
  readonly bytes: BlockFeed
  readonly taker: Taker
  readonly chaptersPath: string
}

/** The jobs for what only ffmpeg can write: one with samples that are finished already for each rate and length, one for the rest. */
const jobsOf = (request: Placed, chaptersPath: string): ReadonlyArray<FedJob> => {
  const { feed } = request
  const encoded = request.sinks.filter(({ sink }) => sink.format.format !== "wav")
  const groups = Array.groupBy(encoded, ({ sink }) => {
    const finished = finishedFor(feed, sink)
    return finished === undefined ? "" : `${finished.rate} ${finished.frames}`
  })
  return Object.values(groups).map((sinks) => {
    const bytes = new BlockFeed()
    const finished = finishedFor(feed, sinks[0].sink)
    const job = { request, sinks, bytes, chaptersPath }
    return finished === undefined
      ? { ...job, feed, taker: feeding(bytes) }
      : {
          ...job,
          feed: { ...feed, rate: finished.rate, frames: finished.frames, sample: "int16" },
          taker: feedingFinished(bytes, feed, finished)
        }
  })
}

/** How long a programme is at least for which a thread is worth its start, in seconds. */
const worthThread = 180

/** What is done with the requests' blocks without ffmpeg: in this thread, or in one of their own where they are long. */
const handsFor = Effect.fnUntraced(function* (requests: ReadonlyArray<Placed>) {
  const orders = requests.map(({ feed, sinks, listen = false }) => [
    ...sinks.flatMap((placed) => {
      const order = wavOrder(feed, placed)
      return order === undefined ? [] : [order]
    }),
    ...(listen ? [{ kind: "listen", ...feed } as const] : [])
  ])
  const isLong = requests.some(
    ({ feed }, at) => orders[at]?.length !== 0 && feed.frames > worthThread * feed.rate
  )
  const program = isLong ? threadProgram() : undefined
  return yield* program === undefined ? handsHere(orders) : handThread(program, orders)
})

/** Runs one ffmpeg to its end. */
const encodeJobOf = Effect.fnUntraced(function* (
  binary: Binary,
  { request: { chapters = [] }, feed, sinks, bytes, chaptersPath }: FedJob
) {
  if (chapters.length > 0) yield* attempt(chaptersPath, () => writeFile(chaptersPath, chaptersText(chapters)))
  const job = encodeJob(feed, sinks, chapters.length > 0 ? chaptersPath : undefined)
  yield* runJob(binary, job, bytes).pipe(
    Effect.mapError((failure) =>
      saysDiskFull(failure.stderrTail) ? new DiskFull({ path: sinks[0]?.sink.path ?? "" }) : failure
    )
  )
})

/** Hands on every block, waiting where who takes it is slower; goes on to count them where one has all it wants. */
const pump = <E, R>(
  blocks: Stream.Stream<ReadonlyArray<PcmBlock>, E, R>,
  requests: ReadonlyArray<Placed>,
  takers: ReadonlyArray<ReadonlyArray<Taker>>,
  hands: Hands
): Effect.Effect<ReadonlyArray<Measures | undefined>, E | DiskFull | Unwritable, R> =>
  Effect.gen(function* () {
    const samples = requests.map(() => 0)
    const senders = takers.map((some, at) => [hands.send[at] ?? nobody, ...some.map(({ send }) => send)])
    yield* Stream.runForEach(blocks, (together) =>
      Effect.forEach(
        senders,
        (some, at) => {
          const block = together[at]
          if (block === undefined || block.length === 0) return Effect.void
          samples[at] = (samples[at] ?? 0) + block.length
          return Effect.forEach(some, (send) => send(block), { discard: true })
        },
        { discard: true }
      )
    )
    for (const [at, { feed }] of requests.entries()) {
      const announced = feed.frames * feed.channels
      if (samples[at] !== announced)
        return yield* Effect.dieMessage(
          `the mix came to ${samples[at]} samples where ${announced} were announced`
        )
      yield* Effect.forEach(takers[at] ?? [], (taker) => taker.finish, { discard: true })
    }
    return yield* hands.finish
  })

const nobody: Taker["send"] = () => Effect.void

const streamOf = <E, R>(blocks: PcmBlocks<E, R>): Stream.Stream<PcmBlock, E, R> =>
  Symbol.asyncIterator in blocks || Symbol.iterator in blocks
    ? Stream.orDie(Stream.fromAsyncIterable(asynchronous(blocks), (cause) => cause))
    : blocks

const asynchronous = async function* (blocks: Iterable<PcmBlock> | AsyncIterable<PcmBlock>) {
  yield* blocks
}
