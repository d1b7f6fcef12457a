/**
 * Encodes a programme's samples to audio files, with ffmpeg or directly, and renames them into place when complete.
 */
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Array, Effect, Stream } from "effect"
import {
  type SectionMeasurement,
  type ProgrammeMeasurement,
  MeterCombination
} from "../../audio/level/ProgrammeMeter.ts"
import { wavHeader } from "../../audio/formats/WavHeader.ts"
import { type Binary, majorOf } from "../process/FfmpegBinary.ts"
import { BlockFeed } from "./StdinFeed.ts"
import { type Chapter, chaptersText } from "./Chapters.ts"
import {
  type AudioSink,
  encodeJob,
  type FedPcm,
  fedPcm,
  finishedFor,
  type PcmFeed,
  type PlacedSink,
  wavFileOf
} from "./EncodeJob.ts"
import { DiskFull, type FfmpegFailed, saysDiskFull, type Unwritable } from "../process/FfmpegErrors.ts"
import { runJob } from "../process/FluentRunner.ts"
import type { FeedOrder, SinkRequest } from "./SampleSink.ts"
import type { RequestOrder } from "./SampleSinks.ts"
import { attempt, attempted, inTemporaryFolder, writeWholeFiles } from "../process/PartFile.ts"
import { beginWav } from "./WavWriter.ts"

/** The samples to encode, and the files to write. */
export interface EncodeRequest {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<AudioSink>
  readonly chapters?: ReadonlyArray<Chapter>
  /** Whether to meter the samples while they are encoded. */
  readonly listen?: boolean
}

/** One result for a section or part of one. Bytes for ffmpeg arrive chronologically. */
export type Made =
  | {
      readonly kind: "fed"
      /** The order's index. */
      readonly order: number
      readonly bytes: Uint8Array
      /** Called when `bytes` may be reused. */
      readonly taken: () => void
    }
  | { readonly kind: "heard"; readonly order: number; readonly heard: SectionMeasurement }

/** Renders the samples of all requests, and carries out the orders on them. */
export type Maker<E, R> = (orders: ReadonlyArray<RequestOrder>) => Stream.Stream<Made, E, R>

/**
 * Encodes several requests together, such as a programme and its stems. Either all files are put in place or none.
 * Returns the measurement of each request that sets `listen`.
 */
export const encodeAll = <E, R>(
  binary: Binary,
  requests: ReadonlyArray<EncodeRequest>,
  maker: Maker<E, R>
): Effect.Effect<
  ReadonlyArray<ProgrammeMeasurement | undefined>,
  E | FfmpegFailed | DiskFull | Unwritable,
  R
> =>
  inTemporaryFolder((folder) => {
    const paths = requests.flatMap(({ sinks }) => sinks.map(({ path }) => resolve(path)))
    return writeWholeFiles(paths, (partOf) =>
      Effect.gen(function* () {
        const works = yield* Effect.forEach(requests, ({ sinks, ...request }, at) =>
          workOf(
            at,
            { ...request, sinks: sinks.map((sink) => ({ sink, part: partOf(resolve(sink.path)) })) },
            join(folder, `${at}.txt`)
          )
        )
        const encoding = Effect.forEach(
          works.flatMap(({ jobs }) => jobs),
          (job) => encodeJobOf(binary, job),
          { concurrency: "unbounded", discard: true }
        )
        const [, heard] = yield* Effect.all([encoding, pump(requests, works, maker)], {
          concurrency: "unbounded"
        })
        return heard
      })
    )
  })

/** A request whose sinks have the paths of their `.part` files. */
interface Placed {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<PlacedSink>
  readonly chapters?: ReadonlyArray<Chapter>
  readonly listen?: boolean
}

/** One ffmpeg process to run. */
interface FedJob {
  readonly feed: FedPcm
  readonly sinks: ReadonlyArray<PlacedSink>
  readonly bytes: BlockFeed
  readonly chapters: ReadonlyArray<Chapter>
  readonly chaptersPath: string
}

/** The work for a request: ffmpeg jobs, and orders for the maker of the samples. */
interface Work {
  readonly jobs: ReadonlyArray<FedJob>
  readonly orders: ReadonlyArray<RequestOrder & { readonly feeds?: BlockFeed }>
}

/** Starts a request's WAV files, and returns the work to do. */
const workOf = Effect.fnUntraced(function* (
  request: number,
  { feed, sinks, chapters = [], listen = false }: Placed,
  chaptersPath: string
) {
  const wavs = sinks.flatMap((placed) => Array.fromNullable(wavFileOf(feed, placed)))
  yield* Effect.forEach(
    wavs,
    ({ header, order: { path, part } }) => attempted(path, () => beginWav(part, header)),
    { discard: true }
  )
  const fed = fedGroups(feed, sinks).map((group) => {
    const finished = finishedFor(feed, group[0].sink)
    const pcm = fedPcm(feed, finished)
    const bytes = new BlockFeed(wavHeader(pcm))
    const order: FeedOrder = { kind: "feed", from: feed, length: feed.frames, to: finished }
    const job: FedJob = { feed: pcm, sinks: group, bytes, chapters, chaptersPath }
    return { job, order: { request, order, feeds: bytes } }
  })
  const others: ReadonlyArray<SinkRequest> = [
    ...wavs.map(({ order }) => order),
    ...(listen ? [{ kind: "listen", ...feed } as const] : [])
  ]
  const work: Work = {
    jobs: fed.map(({ job }) => job),
    orders: [...fed.map(({ order }) => order), ...others.map((order) => ({ request, order }))]
  }
  return work
})

/** Groups the sinks that need ffmpeg: one group per converted rate and length, and one for plain floats. */
const fedGroups = (feed: PcmFeed, sinks: ReadonlyArray<PlacedSink>) =>
  Object.values(
    Array.groupBy(
      sinks.filter(({ sink }) => sink.format.format !== "wav"),
      ({ sink }) => {
        const finished = finishedFor(feed, sink)
        return finished === undefined ? "" : `${finished.rate} ${finished.frames}`
      }
    )
  )

/** Runs one ffmpeg process to completion. */
const encodeJobOf = Effect.fnUntraced(function* (
  binary: Binary,
  { feed, sinks, bytes, chapters, chaptersPath }: FedJob
) {
  if (chapters.length > 0) yield* attempt(chaptersPath, () => writeFile(chaptersPath, chaptersText(chapters)))
  const file = chapters.length > 0 ? { path: chaptersPath, chapters } : undefined
  const job = encodeJob(feed, sinks, file, majorOf(binary))
  yield* runJob(binary, job, bytes).pipe(
    Effect.mapError((failure) =>
      saysDiskFull(failure.stderrTail) ? new DiskFull({ path: sinks[0]?.sink.path ?? "" }) : failure
    )
  )
})

/** Sends bytes to ffmpeg with backpressure, and collects measurements. Skips a process that has closed its input. */
const pump = Effect.fnUntraced(function* <E, R>(
  requests: ReadonlyArray<EncodeRequest>,
  works: ReadonlyArray<Work>,
  maker: Maker<E, R>
) {
  const orders = works.flatMap((work) => work.orders)
  const measurings = requests.map(({ feed, listen }) =>
    listen === true ? new MeterCombination(feed) : undefined
  )
  const plain = orders.map(({ request, order }) => ({ request, order }))
  yield* Stream.runForEach(maker(plain), (made) => {
    const order = orders[made.order]
    if (made.kind === "fed") return order?.feeds?.send(made.bytes, made.taken) ?? Effect.void
    return Effect.sync(() => measurings[order?.request ?? -1]?.add(made.heard))
  })
  yield* Effect.forEach(orders, ({ feeds }) => feeds?.finish ?? Effect.void, { discard: true })
  return measurings.map((measuring) => measuring?.measures())
})
