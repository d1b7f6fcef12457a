/** Muxes new tracks into a video: probes the files, runs the job, and renames the result into place. */
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import type { FfmpegChoice } from "../process/FfmpegChoice.ts"
import { type ContainerName, containerOf, containers } from "./Container.ts"
import { gainBytes } from "./DuckFilter.ts"
import { DiskFull, NotMedia, saysDiskFull, UnknownContainer } from "../process/FfmpegErrors.ts"
import { runJob } from "../process/JobRunner.ts"
import type { MediaInfo } from "../probe/MediaInfo.ts"
import { duckOf, type MuxRequest, muxJob } from "./MuxJob.ts"
import { partFiles, partOf } from "../../system/AtomicFile.ts"
import { attempt, temporaryFolder, writeRefusal } from "../process/FileFaults.ts"
import { probeFile } from "../probe/Prober.ts"
import { disableSubtitleTracks } from "./SubtitleFlags.ts"

/** Writes the video with its new tracks; the file appears complete or not at all. */
export const muxFile = Effect.fn("Muxer.muxFile")(function* (ffmpeg: FfmpegChoice, asked: MuxRequest) {
  const request = withAbsolutePaths(asked)
  const container = containerOf(request.out)
  if (container === undefined) return yield* new UnknownContainer({ path: asked.out })
  const video = yield* probeFile(ffmpeg, request.video)
  if (video.picture === undefined) {
    return yield* new NotMedia({ path: request.video, found: "a file without a picture" })
  }
  const tracks = yield* Effect.forEach(request.tracks, ({ path }) => probeFile(ffmpeg, path))
  const folder = yield* temporaryFolder
  const rename = yield* partFiles([request.out], writeRefusal)
  const part = partOf(request.out)
  const gains = yield* gainsIn(folder, request, video)
  const job = yield* muxJob(request, container, { video, tracks, gains }, part)
  yield* runJob(yield* ffmpeg.forJob(job), job).pipe(
    Effect.mapError((failure) =>
      saysDiskFull(failure.stderrTail) ? new DiskFull({ path: request.out }) : failure
    )
  )
  if (showsUnasked(request, container, video)) yield* disableSubtitleTracks(part)
  yield* rename
}, Effect.scoped)

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
