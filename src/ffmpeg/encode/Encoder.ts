/**
 * Encodes a programme's samples to audio files, with ffmpeg or directly, and renames them into place when complete.
 */
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Array, Effect, Either, Fiber, Stream } from "effect"
import { type ProgrammeMeasurement, MeterCombination } from "../../audio/level/ProgrammeMeter.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { wavHeader } from "../../audio/formats/WavHeader.ts"
import type { FfmpegChoice } from "../process/FfmpegChoice.ts"
import { BlockFeed } from "./StdinFeed.ts"
import { type Chapter, chaptersText } from "./Chapters.ts"
import {
  type AudioSink,
  encodeJob,
  flacFileOf,
  type PcmFeed,
  type PlacedSink,
  wavFileOf
} from "./EncodeJob.ts"
import { openAacFile } from "./aac/AacFile.ts"
import type { LossySink } from "./aac/AacJobs.ts"
import { openFlacFile, type WrittenFlac } from "./FlacFile.ts"
import type { DiskFull, FfmpegFailed, Unwritable } from "../process/FfmpegErrors.ts"
import { runWriting } from "../process/WritingJob.ts"
import type { OrderResult, RequestOrder } from "./SampleSinks.ts"
import { partFiles, partOf } from "../../system/AtomicFile.ts"
import { attempt, attempted, temporaryFolder, writeRefusal } from "../process/FileFaults.ts"
import { openSplicedFile } from "./SplicedFile.ts"
import { beginWav } from "./WavWriter.ts"

/** The samples to encode, and the files to write. */
export interface EncodeRequest {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<AudioSink>
  readonly chapters?: ReadonlyArray<Chapter>
  /** Whether to meter the samples while they are encoded. */
  readonly listen?: boolean
}

/** Files that are being written. */
export interface OpenFiles {
  /** How the renderer must process the samples of the requests. */
  readonly orders: ReadonlyArray<RequestOrder>
  /** Waits until a section can be rendered: encoders of segments must not fall far behind. */
  readonly room: (section: Section) => Effect.Effect<void>
  /** What is known of each FLAC file, by path, once it is written. */
  readonly flacs: ReadonlyMap<string, WrittenFlac>
  /**
   * Writes the orders' results, with backpressure. When their stream has ended, and with it all that rendered them,
   * puts the files in place, and returns the measurement of each request that sets `listen`. Fails at the next bytes
   * for an ffmpeg process that has failed.
   */
  readonly write: <E, R>(
    results: Stream.Stream<OrderResult, E, R>
  ) => Effect.Effect<
    ReadonlyArray<ProgrammeMeasurement | undefined>,
    E | FfmpegFailed | DiskFull | Unwritable,
    R
  >
}

/**
 * Opens the files of several requests together, such as a programme and its stems. Either all files are put in place or
 * none: those not in place when the scope closes are removed.
 */
export const openFiles = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  requests: ReadonlyArray<EncodeRequest>
) {
  const hasChapters = requests.some(({ chapters = [] }) => chapters.length > 0)
  const folder = hasChapters ? yield* temporaryFolder : ""
  const rename = yield* partFiles(
    requests.flatMap(({ sinks }) =>
      sinks.flatMap(({ path, splice, frameSplice }) =>
        splice === undefined && frameSplice === undefined ? [resolve(path)] : []
      )
    ),
    writeRefusal
  )
  const all = yield* Effect.forEach(requests, (request, at) =>
    workOf(ffmpeg, at, request, join(folder, `${at}`))
  )
  const works = all.flat()
  /** By order index. */
  const takers = new Map(
    yield* Effect.forEach(
      works.flatMap(({ job, take, finish = Effect.void }, order) => {
        if (job !== undefined) return [{ order, starting: encoderOf(ffmpeg, job) }]
        return take === undefined ? [] : [{ order, starting: Effect.succeed<Taker>({ take, finish }) }]
      }),
      ({ order, starting }) => Effect.map(starting, (taker) => [order, taker] as const)
    )
  )
  const measurings = requests.map(({ feed, listen }) =>
    listen === true ? new MeterCombination(feed) : undefined
  )
  const take = (result: OrderResult) =>
    result.kind === "heard"
      ? Effect.sync(() => measurings[works[result.order]?.request ?? -1]?.add(result.heard))
      : (takers.get(result.order)?.take(result) ?? Effect.void)
  const finish = Effect.gen(function* () {
    yield* Effect.forEach(takers.values(), ({ finish }) => finish, {
      concurrency: "unbounded",
      discard: true
    })
    // While files are copied.
    const measured = measurings.map((measuring) => measuring?.measures())
    const changed = yield* Effect.forEach(works, ({ complete }) => complete ?? Effect.succeed(Effect.void))
    yield* rename
    yield* Effect.forEach(changed, (place) => place, { discard: true })
    return measured
  })
  const open: OpenFiles = {
    orders: works.map(({ request, order }) => ({ request, order })),
    room: (section) => Effect.forEach(works, ({ room }) => room?.(section) ?? Effect.void, { discard: true }),
    flacs: new Map(
      works.flatMap(({ order, flac }) =>
        order.kind === "flac" && flac !== undefined ? [[order.path, flac] as const] : []
      )
    ),
    write: (results) => Effect.zipRight(Stream.runForEach(results, take), finish)
  }
  return open
})

/** One ffmpeg process to run. */
interface FedJob {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<PlacedSink>
  readonly bytes: BlockFeed
  readonly chapters: ReadonlyArray<Chapter>
  readonly chaptersPath: string
}

/** Takes the results of an order. */
interface Taker {
  readonly take: (result: OrderResult) => Effect.Effect<void, FfmpegFailed | DiskFull | Unwritable>
  /** Waits until all of them are processed. */
  readonly finish: Effect.Effect<void, FfmpegFailed | DiskFull | Unwritable>
}

/** An order, and the ffmpeg process that it feeds or what takes its results. */
interface Work extends RequestOrder {
  readonly job?: FedJob
  readonly take?: Taker["take"]
  readonly finish?: Taker["finish"]
  readonly room?: OpenFiles["room"]
  readonly flac?: WrittenFlac
  /** Completes a file. Returns the step that puts it in place if it has an earlier version. */
  readonly complete?: Effect.Effect<Effect.Effect<void, DiskFull | Unwritable>, DiskFull | Unwritable>
}

/** Starts a request's WAV and FLAC files, and returns its orders. */
const workOf = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  request: number,
  { feed, sinks: asked, chapters = [], listen = false }: EncodeRequest,
  chaptersPath: string
) {
  const sinks = asked.map((sink) => ({ sink, part: partOf(resolve(sink.path)) }))
  const files = sinks.flatMap((placed) => {
    const file = wavFileOf(feed, placed)
    return file === undefined ? [] : [{ ...file, splice: placed.sink.splice }]
  })
  const wavs = yield* Effect.forEach(files, ({ header, order, splice }) =>
    splice === undefined
      ? Effect.as(
          attempted(order.path, () => beginWav(order.part, header)),
          { order }
        )
      : openSplicedFile({ header, order }, splice)
  )
  const flacs = yield* Effect.forEach(
    asked.flatMap((sink) => {
      const file = flacFileOf(feed, sink, chapters)
      return file === undefined ? [] : [{ file, splice: sink.frameSplice }]
    }),
    ({ file, splice }) =>
      Effect.map(openFlacFile(file, splice), (opened) => ({ request, order: file.order, ...opened }))
  )
  const [placed, segmented] = Array.partitionMap(
    sinks.filter(({ sink: { format } }) => format.format !== "wav" && format.format !== "flac"),
    segmentsIn
  )
  const aacs = yield* Effect.forEach(segmented, ({ sink, segments }, at) =>
    Effect.map(
      openAacFile(
        ffmpeg,
        feed,
        sink,
        segments,
        chapters.length === 0 ? undefined : { path: `${chaptersPath}-${at}.txt`, chapters }
      ),
      (opened) => ({ request, ...opened })
    )
  )
  const fed = Array.match(placed, {
    onEmpty: () => [],
    onNonEmpty: (some) => {
      const bytes = new BlockFeed(wavHeader({ ...feed, encoding: "float32" }))
      const job: FedJob = { feed, sinks: some, bytes, chapters, chaptersPath: `${chaptersPath}.txt` }
      return [{ request, order: { kind: "feed", from: feed } as const, job }]
    }
  })
  const works: ReadonlyArray<Work> = [
    ...fed,
    ...wavs.map((wav) => ({ request, ...wav })),
    ...flacs,
    ...aacs,
    ...(listen ? [{ request, order: { kind: "listen", ...feed } as const }] : [])
  ]
  return works
})

/** Tells sinks that are encoded in segments from others. */
const segmentsIn = (
  placed: PlacedSink
): Either.Either<
  { readonly sink: LossySink; readonly segments: NonNullable<AudioSink["segments"]> },
  PlacedSink
> => {
  const { format, segments } = placed.sink
  return segments === undefined || format.format !== "m4a"
    ? Either.left(placed)
    : Either.right({ sink: { ...placed.sink, format }, segments })
}

/** Starts an ffmpeg process, which ends with the scope. */
const encoderOf = (ffmpeg: FfmpegChoice, job: FedJob) =>
  Effect.map(Effect.forkScoped(encodeJobOf(ffmpeg, job)), (process): Taker => ({
    /** Sends bytes with backpressure. Once the process has ended, skips them, or fails if it failed. */
    take: (result: OrderResult) =>
      result.kind === "fed"
        ? Effect.zipRight(
            job.bytes.send(result.bytes, result.taken),
            Effect.suspend(() => (job.bytes.destroyed ? Fiber.join(process) : Effect.void))
          )
        : Effect.void,
    /** Ends its input and waits for its end. */
    finish: Effect.zipRight(job.bytes.finish, Fiber.join(process))
  }))

/** Runs one ffmpeg process to completion. Closes its input in any case, so that no sender waits for it. */
const encodeJobOf = Effect.fnUntraced(
  function* (ffmpeg: FfmpegChoice, { feed, sinks, bytes, chapters, chaptersPath }: FedJob) {
    if (chapters.length > 0)
      yield* attempt(chaptersPath, () => writeFile(chaptersPath, chaptersText(chapters)))
    const file = chapters.length > 0 ? { path: chaptersPath, chapters } : undefined
    const job = encodeJob(feed, sinks, file)
    yield* runWriting(ffmpeg, job, sinks[0]?.sink.path ?? "", bytes)
  },
  (encoding, _ffmpeg, { bytes }) =>
    Effect.ensuring(
      encoding,
      Effect.sync(() => bytes.destroy())
    )
)
