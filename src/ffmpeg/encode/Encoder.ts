/**
 * Encodes a programme's samples to audio files, with ffmpeg or directly, and renames them into place when complete.
 */
import { constants } from "node:fs"
import { copyFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Fiber, Stream } from "effect"
import { MeterCombination, type ProgrammeMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { wavHeader } from "../../audio/formats/WavHeader.ts"
import type { FfmpegChoice } from "../process/FfmpegChoice.ts"
import { chaptersText, type Chapter } from "./Chapters.ts"
import {
  encodeJob,
  flacFeedOf,
  wavFileOf,
  type AudioSink,
  type PcmFeed,
  type PlacedSink
} from "./EncodeJob.ts"
import type { DiskFull, FfmpegFailed, Unwritable } from "../process/FfmpegErrors.ts"
import { runWriting } from "../process/WritingJob.ts"
import type { OrderResult, RequestOrder } from "./SampleSinks.ts"
import { partFiles, partOf } from "../../system/AtomicFile.ts"
import { attempt, temporaryFolder, writeRefusal } from "../process/FileFaults.ts"
import { beginWav } from "./WavWriter.ts"
import { Readable } from "node:stream"

/** The samples to encode, and the files to write. */
export interface EncodeRequest {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<AudioSink>
  readonly chapters?: ReadonlyArray<Chapter>
  /** Whether to meter the samples while they are encoded. */
  readonly listen?: boolean
}

type Fault = FfmpegFailed | DiskFull | Unwritable

/** Files that are being written. */
export interface OpenFiles {
  /** How the renderer must process the samples of the requests. */
  readonly orders: ReadonlyArray<RequestOrder>
  /**
   * Writes the orders' results, with backpressure. When their stream has ended, and with it all that rendered them,
   * puts the files in place, and returns the measurement of each request that sets `listen`. Fails at the next bytes
   * for an ffmpeg process that has failed.
   */
  readonly write: <E, R>(
    results: Stream.Stream<OrderResult, E, R>
  ) => Effect.Effect<ReadonlyArray<ProgrammeMeasurement | undefined>, E | Fault, R>
}

/**
 * Opens the files of several requests together, such as a programme and its stems. Either all files are put in place or
 * none: those not in place when the scope closes are removed.
 */
export const openFiles = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  requests: ReadonlyArray<EncodeRequest>
) {
  const rename = yield* partsOf(requests.flatMap(({ sinks }) => sinks))
  const meters = requests.map(({ feed, listen }) =>
    listen === true ? new MeterCombination(feed) : undefined
  )
  const works = (yield* Effect.forEach(requests, (request, at) =>
    worksOf(ffmpeg, at, request, meters[at])
  )).flat()
  const open: OpenFiles = {
    orders: works.map(({ request, order }) => ({ request, order })),
    write: (results) =>
      Effect.gen(function* () {
        yield* Stream.runForEach(results, (result) => works[result.order]?.take?.(result) ?? Effect.void)
        const finishing = works.flatMap(({ finish }) => finish ?? [])
        yield* Effect.all(finishing, { concurrency: "unbounded", discard: true })
        const measured = meters.map((meter) => meter?.measures())
        yield* rename
        return measured
      })
  }
  return open
})

/** Encodes the samples of a WAV file, those of `feed`, into other files. Either all are put in place or none. */
export const encodeFile = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  source: string,
  { feed, sinks, chapters = [] }: EncodeRequest
) {
  const rename = yield* partsOf(sinks)
  yield* runEncoder(ffmpeg, { feed, sinks: sinks.map(placed), chapters, source: resolve(source) })
  yield* rename
}, Effect.scoped)

const partsOf = (sinks: ReadonlyArray<AudioSink>) =>
  partFiles(
    sinks.map(({ path }) => resolve(path)),
    writeRefusal
  )

const placed = (sink: AudioSink): PlacedSink => ({ sink, part: partOf(resolve(sink.path)) })

/** An order, and what takes its results. */
interface Work extends RequestOrder {
  readonly take?: (result: OrderResult) => Effect.Effect<void, Fault>
  /** Waits until all results are processed. */
  readonly finish?: Effect.Effect<void, Fault>
}

/** Starts the files of a request: one work for each file or process, and for the meter. */
const worksOf = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  request: number,
  { feed, sinks, chapters = [] }: EncodeRequest,
  meter: MeterCombination | undefined
) {
  const works: Array<Work> = []
  const fed: Array<PlacedSink> = []
  for (const one of sinks.map(placed)) {
    const wav = wavFileOf(feed, one)
    const flac = flacFeedOf(feed, one.sink)
    if (wav !== undefined) {
      yield* Effect.uninterruptible(attempt(one.sink.path, () => begun(wav, one)))
      works.push({ request, order: wav.order })
    } else if (flac === undefined) fed.push(one)
    else {
      const encoder = yield* startEncoder(ffmpeg, flac.header, { feed: flac.feed, sinks: [one], chapters })
      works.push({ request, order: flac.order, ...encoder })
    }
  }
  if (fed.length > 0) {
    const header = { ...feed, encoding: "float32" } as const
    const encoder = yield* startEncoder(ffmpeg, header, { feed, sinks: fed, chapters })
    works.push({ request, order: { kind: "feed", from: feed }, ...encoder })
  }
  if (meter !== undefined)
    works.push({
      request,
      order: { kind: "listen", ...feed },
      take: (result) => Effect.sync(() => result.kind === "heard" && meter.add(result.heard))
    })
  return works
})

/** Begins a WAV file: empty, or as a copy of the present file. */
const begun = async ({ header, order }: NonNullable<ReturnType<typeof wavFileOf>>, { sink }: PlacedSink) => {
  // Shares the file's blocks if the file system can.
  if (sink.isPatched === true) await copyFile(resolve(sink.path), order.part, constants.COPYFILE_FICLONE)
  beginWav(order.part, header, sink.isPatched === true ? "r+" : "w")
}

/** What one ffmpeg process encodes. */
interface Encoding {
  readonly feed: PcmFeed
  readonly sinks: ReadonlyArray<PlacedSink>
  readonly chapters: ReadonlyArray<Chapter>
  /** The WAV file to read; else it comes through standard input. */
  readonly source?: string
}

/** Starts an ffmpeg process that ends with the scope, and gets a WAV file through its standard input. */
const startEncoder = (ffmpeg: FfmpegChoice, header: Parameters<typeof wavHeader>[0], encoding: Encoding) => {
  const bytes = new BlockFeed(wavHeader(header))
  // Closes its input in any case, so that no sender waits for it.
  const running = Effect.ensuring(
    Effect.scoped(runEncoder(ffmpeg, encoding, bytes)),
    Effect.sync(() => bytes.destroy())
  )
  return Effect.map(Effect.forkScoped(running), (process): Pick<Work, "take" | "finish"> => ({
    /** Sends bytes with backpressure. Once the process has ended, skips them, or fails if it failed. */
    take: (result) =>
      result.kind === "fed"
        ? Effect.zipRight(
            bytes.send(result.bytes, result.taken),
            Effect.suspend(() => (bytes.destroyed ? Fiber.join(process) : Effect.void))
          )
        : Effect.void,
    /** Ends its input and waits for its end. */
    finish: Effect.zipRight(bytes.finish, Fiber.join(process))
  }))
}

/** Runs one ffmpeg process to completion. */
const runEncoder = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  { feed, sinks, chapters, source }: Encoding,
  bytes?: BlockFeed
) {
  const path = chapters.length > 0 ? join(yield* temporaryFolder, "chapters.txt") : undefined
  if (path !== undefined) yield* attempt(path, () => writeFile(path, chaptersText(chapters)))
  const job = encodeJob(feed, sinks, path === undefined ? undefined : { path, chapters }, source)
  yield* runWriting(ffmpeg, job, sinks[0]?.sink.path ?? "", bytes)
})

/** How many bytes to queue between the mix and ffmpeg, so that neither waits for the other. */
const waitingBytes = 1024 * 1024

/**
 * A readable stream that writes to its pipe target directly. Only the writer learns when bytes were consumed and their
 * buffer can be reused. It cannot be read in any other way.
 */
class BlockFeed extends Readable {
  private target: NodeJS.WritableStream | undefined
  private waiting = 0

  /** `first` is written before everything else. */
  constructor(private readonly first: Uint8Array) {
    super()
  }

  override _read(): void {
    // Nothing to do: blocks are written to the target directly.
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    this.target = target
    target.write(this.first)
    this.emit("piped")
    return target
  }

  /**
   * Sends bytes. Returns when the queue has room again or, if ffmpeg has closed its input, when ffmpeg has ended and
   * this feed is destroyed. In either case, sets the flag `taken` to 0 when the bytes may be overwritten, and notifies
   * a thread that waits for that.
   */
  send(bytes: Uint8Array, taken?: Int32Array): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const goOn = () => {
        this.off("room", look).off("piped", write).off("close", goOn)
        resume(Effect.void)
      }
      const look = () => {
        if (this.waiting < waitingBytes && this.target?.writable !== false) goOn()
      }
      const write = () => {
        this.write(bytes, taken)
        // Let the event loop flush the pipe before more is computed.
        setImmediate(look)
      }
      if (this.destroyed) {
        release(taken)
        return goOn()
      }
      this.on("room", look).once("close", goOn)
      if (this.target === undefined) this.once("piped", write)
      else write()
    })
  }

  /** Ends ffmpeg's input. */
  readonly finish = Effect.sync(() => {
    if (this.target === undefined) this.once("piped", () => this.target?.end())
    else this.target.end()
  })

  private write(bytes: Uint8Array, taken: Int32Array | undefined): void {
    this.waiting += bytes.length
    this.target?.write(bytes, () => {
      release(taken)
      this.waiting -= bytes.length
      this.emit("room")
    })
  }
}

/** Sets a flag to 0 and notifies who waits for it, once bytes in shared memory may be overwritten. */
const release = (taken: Int32Array | undefined): void => {
  if (taken === undefined) return
  Atomics.store(taken, 0, 0)
  Atomics.notify(taken, 0)
}
