/**
 * Writes an M4A file in segments: encodes each as soon as its samples are rendered, several at once, and joins the
 * frames of all. Segments whose frames are stored from an earlier version are not encoded again.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { dirname, resolve } from "node:path"
import { type Cause, Effect, Fiber } from "effect"
import {
  type AacStream,
  aacStream,
  adtsBetween,
  joinOf,
  streamEnd
} from "../../../audio/formats/AacFrames.ts"
import { wavHeader } from "../../../audio/formats/WavHeader.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import { partOf } from "../../../system/AtomicFile.ts"
import { attempt, attempted, removedAtEnd } from "../../process/FileFaults.ts"
import type { FfmpegChoice } from "../../process/FfmpegChoice.ts"
import { DiskFull, type FfmpegFailed, saysDiskFull, type Unwritable } from "../../process/FfmpegErrors.ts"
import { runWriting } from "../../process/WritingJob.ts"
import { chaptersText } from "../Chapters.ts"
import type { ChapterFile, PcmFeed } from "../EncodeJob.ts"
import type { OrderResult } from "../SampleSinks.ts"
import { BlockFeed } from "../StdinFeed.ts"
import { joinJob, type LossySink, segmentJob } from "./AacJobs.ts"
import type { AacOrder } from "./AacPart.ts"
import { type AacSegment, joinFrames, type StoredSegments } from "./AacSegments.ts"
import { readSegment, writeSegment } from "./SegmentFile.ts"

/** Most encoders that run at once: each takes memory. */
const mostEncoders = 8

/** Segments whose samples may wait on the disk for an encoder. */
const waitingSegments = 2

type Fault = FfmpegFailed | DiskFull | Unwritable

/**
 * Opens a file. Returns the order for its samples, what takes the results of the order, what waits until a section can
 * be rendered, and the step that joins all segments once they are encoded.
 */
export const openAacFile = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  feed: PcmFeed,
  sink: LossySink,
  segments: StoredSegments,
  chapters: ChapterFile | undefined
) {
  const path = resolve(sink.path)
  const scope = yield* Effect.scope
  const missing = segments
    .filter(({ isKept }) => !isKept)
    .map((segment) => {
      const header = wavHeader({ ...feed, frames: segment.end - segment.begin, encoding: "float32" })
      return { ...segment, header, wav: `${segment.path}.wav`, adts: `${segment.path}.adts` }
    })
  const order: AacOrder = {
    kind: "aac",
    path: missing[0]?.wav ?? sink.path,
    channels: feed.channels,
    segments: missing.map(({ begin, end, wav, header }) => ({
      path: wav,
      begin,
      end,
      dataAt: header.length
    }))
  }
  for (const { wav, adts, header } of missing) {
    yield* removedAtEnd(wav)
    yield* removedAtEnd(adts)
    yield* attempted(wav, () => {
      mkdirSync(dirname(wav), { recursive: true })
      writeFileSync(wav, header)
    })
  }

  const encode = Effect.fnUntraced(function* (segment: (typeof missing)[number]) {
    const { first, to, wav, adts } = segment
    const { stderr } = yield* runWriting(ffmpeg, segmentJob(feed, sink, segment, wav, adts), adts)
    // ffmpeg 5 ends with 0 when the disk is full.
    if (saysDiskFull(stderr)) return yield* new DiskFull({ path: adts })
    yield* attempt(segment.path, async () => {
      const stream = aacStream(await readFile(adts), first)
      const wanted = to + (to === segments.at(-1)?.to ? 0 : joinFrames)
      if (streamEnd(stream) < wanted)
        throw new Error(`ffmpeg has encoded ${streamEnd(stream) - first} of ${wanted - first} AAC frames`)
      writeSegment(segment.path, adtsBetween(stream, firstKept(segment), streamEnd(stream)))
      await rm(adts)
      await rm(wav)
    })
  })

  const count = Math.min(availableParallelism(), mostEncoders)
  const encoders = yield* Effect.makeSemaphore(count)
  const places = yield* Effect.makeSemaphore(count + waitingSegments)
  const encoding: Array<Fiber.Fiber<void, Fault>> = []
  let failure: Cause.Cause<Fault> | undefined
  const room = ({ from, to }: Section) =>
    places.take(missing.filter(({ begin }) => begin >= from && begin < to).length)
  const take = (result: OrderResult): Effect.Effect<void, Fault> =>
    Effect.gen(function* () {
      if (failure !== undefined) return yield* Effect.failCause(failure)
      if (result.kind !== "written") return
      for (let next = missing[encoding.length]; ; next = missing[encoding.length]) {
        if (next === undefined || next.end > result.writtenTo) return
        const encoded = encoders
          .withPermits(1)(encode(next))
          .pipe(
            Effect.tapErrorCause((cause) => Effect.sync(() => (failure ??= cause))),
            Effect.ensuring(places.release(1))
          )
        encoding.push(yield* Effect.forkIn(encoded, scope))
      }
    })

  /** Joins all segments, and writes them to the file. */
  const join = Effect.gen(function* () {
    const last = yield* attempted(path, () => streamIn(segments, segments.length - 1))
    if (chapters !== undefined)
      yield* attempt(chapters.path, () => writeFile(chapters.path, chaptersText(chapters.chapters)))
    const bytes = new BlockFeed(new Uint8Array(0))
    const job = joinJob(feed, { sink, part: partOf(path) }, streamEnd(last), chapters)
    const writing = yield* Effect.forkIn(
      Effect.ensuring(
        runWriting(ffmpeg, job, path, bytes),
        Effect.sync(() => bytes.destroy())
      ),
      scope
    )
    const pieces = joined(segments)
    for (;;) {
      const { done, value } = yield* attempted(path, () => pieces.next())
      if (done === true || bytes.destroyed) break
      yield* bytes.send(value)
    }
    yield* bytes.finish
    yield* Fiber.join(writing)
  })
  return { order, room, take, finish: Effect.suspend(() => Effect.zipRight(Fiber.joinAll(encoding), join)) }
})

/** The frames of all segments in order of time, in one piece each. Throws if a segment is missing or damaged. */
function* joined(segments: StoredSegments): Generator<Uint8Array, undefined> {
  let stream = streamIn(segments, 0)
  let from = 0
  for (const [at, segment] of segments.slice(1).entries()) {
    const next = streamIn(segments, at + 1)
    const end = joinOf(stream, next, segment.from, joinFrames)
    yield adtsBetween(stream, from, end)
    from = end
    stream = next
  }
  yield adtsBetween(stream, from, streamEnd(stream))
}

/** Reads the frames of a segment, from the one before its first. */
const streamIn = (segments: StoredSegments, at: number): AacStream => {
  const segment = segments[at]
  const frames = segment === undefined ? undefined : readSegment(segment.path)
  if (segment === undefined || frames === undefined)
    throw new Error(`${segment?.path} was changed by another program`)
  return aacStream(frames, firstKept(segment))
}

/** The first stored frame of a segment: the one before its own first tells where it can take over. */
const firstKept = ({ first, from }: AacSegment): number => Math.max(first, from - 1)
