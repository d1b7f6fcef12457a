/** Muxes new tracks into a video: probes the files, runs the job, and renames the result into place. */
import { rm, writeFile, open, type FileHandle } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Either } from "effect"
import type { FfmpegChoice } from "../process/FfmpegChoice.ts"
import { type Container, containerOf, containers, keptCovers, type ContainerName } from "./Container.ts"
import { gainBytes } from "./DuckFilter.ts"
import { NotMedia, UnknownContainer, type ContainerRefuses } from "../process/FfmpegErrors.ts"
import type { FfmpegJob } from "../process/FfmpegJob.ts"
import { runJob } from "../process/JobRunner.ts"
import { runWriting } from "../process/WritingJob.ts"
import type { MediaInfo } from "../probe/MediaInfo.ts"
import { laterChapters, longerFilm } from "./LongerFilm.ts"
import { evenSoundJob, saysSoundChanges } from "./EvenSound.ts"
import { filmOptions } from "./MuxInputs.ts"
import { muxJob, soundsJob } from "./MuxJob.ts"
import { duckOf, type MuxRequest, type MuxSources } from "./MuxRequest.ts"
import { partFiles, partOf } from "../../system/AtomicFile.ts"
import { attempt, temporaryFolder, writeRefusal } from "../process/FileFaults.ts"
import { probeFile } from "../probe/Prober.ts"

/** Writes the video with its new tracks; the file appears complete or not at all. */
export const muxFile = Effect.fn("Muxer.muxFile")(function* (ffmpeg: FfmpegChoice, asked: MuxRequest) {
  const request = withAbsolutePaths(asked)
  const container = containerOf(request.out)
  if (container === undefined) return yield* new UnknownContainer({ path: asked.out })
  const film = yield* probeFile(ffmpeg, request.video)
  const video = longerFilm(film, request.stretches ?? [])
  if (video.picture === undefined)
    return yield* new NotMedia({ path: request.video, found: "a file without a picture" })
  const tracks = yield* Effect.forEach(request.tracks, ({ path }) => probeFile(ffmpeg, path))
  const folder = yield* temporaryFolder
  const rename = yield* partFiles([request.out], writeRefusal)
  const part = partOf(request.out)
  const gains = yield* gainsIn(folder, request, video)
  const covers = yield* coversIn(folder, ffmpeg, video, containers[container])
  const sources = { video, tracks, gains, covers }
  const longer =
    (request.stretches?.length ?? 0) === 0
      ? {}
      : {
          chapters: yield* chaptersIn(folder, ffmpeg, request),
          made: yield* soundsBeside(part, ffmpeg, request, container, sources)
        }
  yield* filtering(part, ffmpeg, request, { ...sources, ...longer }, (from) =>
    muxJob(request, container, from, part)
  )
  if (showsUnasked(request, container, video)) yield* disableSubtitleTracks(part)
  yield* rename
}, Effect.scoped)

/** Runs a job that filters the video's own sound. If it changes midway, converts it first and runs the job again. */
const filtering = Effect.fnUntraced(function* (
  part: string,
  ffmpeg: FfmpegChoice,
  request: MuxRequest,
  sources: MuxSources,
  jobOf: (sources: MuxSources) => Either.Either<FfmpegJob, ContainerRefuses>
) {
  yield* runWriting(ffmpeg, yield* jobOf(sources), request.out).pipe(
    Effect.catchIf(
      (failure) => failure._tag === "FfmpegFailed" && saysSoundChanges(failure.stderrTail),
      () =>
        Effect.gen(function* () {
          const even = yield* fileBeside(part, "even")
          const job = evenSoundJob(request, sources, filmOptions(sources), even)
          yield* runWriting(ffmpeg, job, request.out)
          yield* runWriting(ffmpeg, yield* jobOf({ ...sources, even }), request.out)
        })
    )
  )
})

/** The path of a temporary file beside the result, removed with the scope. */
const fileBeside = (part: string, kind: string) =>
  Effect.acquireRelease(Effect.succeed(`${part}.${kind}`), (path) =>
    Effect.promise(() => rm(path, { force: true }).catch(() => undefined))
  )

/** Writes the sound tracks of a lengthened film to a file beside the result, and probes it. */
const soundsBeside = Effect.fnUntraced(function* (
  part: string,
  ffmpeg: FfmpegChoice,
  request: MuxRequest,
  container: ContainerName,
  sources: MuxSources
) {
  const path = yield* fileBeside(part, "sound")
  yield* filtering(part, ffmpeg, request, sources, (from) =>
    Either.right(soundsJob(request, container, from, path))
  )
  return yield* probeFile(ffmpeg, path)
})

/**
 * Writes the gain files that duck the video's own sound under each track. Returns their paths; none without ducking.
 */
const gainsIn = (folder: string, request: MuxRequest, video: MediaInfo) => {
  const duck = duckOf(request, video)
  if (duck === undefined) return Effect.succeed([])
  return Effect.forEach(request.tracks, ({ spoken }, place) => {
    const path = join(folder, `${place}.gains`)
    return Effect.as(
      attempt(path, () => writeFile(path, gainBytes(spoken, duck, video.duration))),
      path
    )
  })
}

/** Writes the film's cover images to files, if the container holds them as attachments. */
const coversIn = Effect.fnUntraced(function* (
  folder: string,
  ffmpeg: FfmpegChoice,
  film: MediaInfo,
  holder: Container
) {
  const outputs = (holder.attachments ? keptCovers(film, holder) : []).map(({ index }) => ({
    target: join(folder, `${index}.cover`),
    options: ["-map", `0:${index}`, "-c", "copy", "-frames:v", "1", "-f", "image2pipe"]
  }))
  const purpose = `read the cover of ${film.path}`
  const inputs = [{ source: film.path, options: [] }]
  if (outputs.length > 0) yield* runJob(ffmpeg.first, { purpose, inputs, filters: [], outputs, encodes: 0 })
  return outputs.map(({ target }) => target)
})

/** Writes the chapters of a lengthened film at their later times; returns the file. */
const chaptersIn = Effect.fnUntraced(function* (
  folder: string,
  ffmpeg: FfmpegChoice,
  { video, stretches = [] }: MuxRequest
) {
  const { stdout } = yield* runJob(ffmpeg.first, {
    purpose: `read the chapters of ${video}`,
    inputs: [{ source: video, options: [] }],
    filters: [],
    outputs: [{ target: "-", options: ["-f", "ffmetadata"] }],
    encodes: 0
  })
  const path = join(folder, "chapters.txt")
  yield* attempt(path, () => writeFile(path, laterChapters(stdout.toString(), stretches)))
  return path
})

/** Whether players would show a subtitle though none is marked as default. */
const showsUnasked = (
  { subtitles }: MuxRequest,
  container: ContainerName,
  { subtitles: kept }: MediaInfo
): boolean =>
  containers[container].subtitle === "mov_text" &&
  subtitles.length + kept.length > 0 &&
  !kept.some(({ isDefault }) => isDefault)

const withAbsolutePaths = (request: MuxRequest): MuxRequest => {
  const [first, ...others] = request.tracks
  return {
    ...request,
    video: resolve(request.video),
    out: resolve(request.out),
    tracks: [placed(first), ...others.map(placed)],
    subtitles: request.subtitles.map(placed)
  }
}

const placed = <A extends { readonly path: string }>(track: A): A => ({ ...track, path: resolve(track.path) })

/** Clears the enabled flag of all subtitle tracks in a file. */
const disableSubtitleTracks = (path: string) =>
  attempt(path, async () => {
    const file = await open(path, "r+")
    try {
      const movie = await movieBox(file)
      if (movie === undefined) return
      const content = Buffer.alloc(movie.end - movie.start)
      await file.read(content, 0, content.length, movie.start)
      for (const at of subtitleHeaders(content)) {
        // A full box (ISO/IEC 14496-12) starts with one byte of version and three of flags. The last bit is
        // track_enabled.
        const flags = Buffer.of((content[at + 3] ?? 0) & ~1)
        await file.write(flags, 0, 1, movie.start + at + 3)
      }
    } finally {
      await file.close()
    }
  })

/** The byte range of a box's content; `end` is exclusive. */
interface Content {
  readonly start: number
  readonly end: number
}

const movieBox = async (file: FileHandle): Promise<Content | undefined> => {
  const { size } = await file.stat()
  const head = Buffer.alloc(16)
  for (let at = 0; at + 8 <= size;) {
    await file.read(head, 0, 16, at)
    const box = boxAt(head, 0, size - at)
    if (box === undefined) return undefined
    if (box.name === "moov") return { start: at + box.start, end: at + box.end }
    at += box.end
  }
  return undefined
}

/** Returns the offsets of the subtitle tracks' headers in a movie box. */
const subtitleHeaders = (movie: Buffer): ReadonlyArray<number> =>
  boxesIn(movie, { start: 0, end: movie.length })
    .filter(({ name }) => name === "trak")
    .flatMap((track) => {
      const parts = boxesIn(movie, track)
      const media = parts.filter(({ name }) => name === "mdia").flatMap((part) => boxesIn(movie, part))
      const handler = media.find(({ name }) => name === "hdlr")
      const kind =
        handler === undefined ? "" : movie.toString("latin1", handler.start + 8, handler.start + 12)
      return ["sbtl", "text", "subt"].includes(kind)
        ? parts.flatMap(({ name, start }) => (name === "tkhd" ? [start] : []))
        : []
    })

interface Box extends Content {
  readonly name: string
}

const boxesIn = (bytes: Buffer, { start, end }: Content): ReadonlyArray<Box> => {
  const boxes: Array<Box> = []
  for (let at = start; at + 8 <= end;) {
    const box = boxAt(bytes, at, end - at)
    if (box === undefined) break
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** Parses the box at an offset with `left` bytes remaining; undefined if it is not a valid box. */
const boxAt = (bytes: Buffer, at: number, left: number): Box | undefined => {
  const short = bytes.readUInt32BE(at)
  const name = bytes.toString("latin1", at + 4, at + 8)
  // Size 1: a 64-bit size follows the name. Size 0: the box extends to the end of the file.
  const long = short === 1 && at + 16 <= bytes.length
  const size = long ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? left : short
  const head = long ? 16 : 8
  return size < head || size > left ? undefined : { name, start: at + head, end: at + size }
}
