/** Muxing as it is run. */
import { resolve } from "node:path"
import { Effect } from "effect"
import type { Binary } from "./Binary.ts"
import { type ContainerName, containerOf, containers } from "./Container.ts"
import { DiskFull, NotMedia, saysDiskFull, UnknownContainer } from "./Failures.ts"
import { runJob } from "./Fluent.ts"
import type { MediaInfo } from "./MediaInfo.ts"
import { type MuxRequest, muxJob } from "./Mux.ts"
import { writingWhole } from "./PartFile.ts"
import { probeFile } from "./Prober.ts"
import { withoutEnabledSubtitles } from "./SubtitleFlags.ts"

/** Writes the video with its new tracks, whole or not at all. */
export const muxFile = Effect.fn("Muxer.muxFile")(function* (binary: Binary, asked: MuxRequest) {
  const request = withAbsolutePaths(asked)
  const container = containerOf(request.out)
  if (container === undefined) return yield* new UnknownContainer({ path: asked.out })
  const video = yield* probeFile(binary, request.video)
  if (video.picture === undefined) {
    return yield* new NotMedia({ path: request.video, found: "a file without a picture" })
  }
  const tracks = yield* Effect.forEach(request.tracks, ({ path }) => probeFile(binary, path))
  yield* writingWhole([request.out], (partOf) =>
    muxJob(request, container, { video, tracks }, partOf(request.out)).pipe(
      Effect.flatMap((job) => runJob(binary, job)),
      Effect.zipRight(
        showsUnasked(request, container, video) ? withoutEnabledSubtitles(partOf(request.out)) : Effect.void
      ),
      Effect.catchTag("FfmpegFailed", (failure) =>
        Effect.fail(saysDiskFull(failure.stderrTail) ? new DiskFull({ path: request.out }) : failure)
      )
    )
  )
})

/** Whether players would show a subtitle that nobody made a default. */
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
