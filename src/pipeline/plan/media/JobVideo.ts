/**
 * Probes a job's video before anything is paid for: the result gets its length, and the output container must accept
 * its picture.
 */
import { Effect } from "effect"
import {
  changedSounds,
  type ContainerName,
  containerOf,
  containersFor,
  losesCover,
  refusedPicture
} from "../../../ffmpeg/mux/Container.ts"
import { Ffmpeg } from "../../../ffmpeg/Ffmpeg.ts"
import type { MediaInfo } from "../../../ffmpeg/probe/MediaInfo.ts"
import { fileFault } from "../../load/InputFile.ts"
import { ofOneJob, rejectInput } from "../../load/InputRejected.ts"
import type { Job } from "../../load/Job.ts"

/** Probes each video once, for all jobs that dub it. */
export const probeOnce = Effect.flatMap(Ffmpeg, ({ probe }) => Effect.cachedFunction(probe))
export type Probe = Effect.Effect.Success<typeof probeOnce>

/** Probes a job's video; undefined for a job without one. Fails if the outputs need a video or cannot hold this one. */
export const probeJobVideo = Effect.fnUntraced(function* (job: Job, probe: Probe) {
  const containers = containersOf(job)
  if (job.video === undefined) {
    return containers.length === 0
      ? undefined
      : yield* rejectInput(
          job.inputName,
          `job ${job.id}: outputs: ${containers.join(", ")} needs a video; name one under video, or without a manifest with --video`
        )
  }
  const { name, path } = job.video
  const strange = yield* fileFault(path)
  const unusable = (problem: string) => ofOneJob(rejectInput(name, `job ${job.id}: video: ${problem}`))
  if (strange !== undefined) return yield* unusable(strange)
  const video = yield* Effect.mapError(probe(path), ({ message }) => unusable(message))
  if (containers.length > 0 && video.isUntimed === true)
    return yield* unusable(
      `a raw ${video.format} stream with B frames does not say when each picture is shown; put it into a container first, as with: mkvmerge -o film.mkv "${name}"`
    )
  const fault = unfit(video, containers)
  return fault === undefined ? video : yield* ofOneJob(rejectInput(name, `job ${job.id}: ${fault}`))
})

/** Describes what of the film changes or is left out in the job's video outputs; one sentence per change. */
export const filmNotices = (job: Job, film: MediaInfo | undefined): ReadonlyArray<string> =>
  film === undefined
    ? []
    : videosOf(job).flatMap(({ name, container }) => [
        ...changedSounds(film, container, job.original).map(
          ({ from, to }) => `the film's ${from} sound becomes ${to} in ${name}`
        ),
        ...(losesCover(film, container) ? [`the film's cover image is left out of ${name}`] : [])
      ])

/** The video files that a job makes. */
const videosOf = ({
  id,
  outputs,
  into
}: Job): ReadonlyArray<{ readonly name: string; readonly container: ContainerName }> =>
  [...outputs.map((output) => `${id}.${output}`), ...(into === undefined ? [] : [into])].flatMap((name) => {
    const container = containerOf(name)
    return container === undefined ? [] : [{ name, container }]
  })

const containersOf = (job: Job): ReadonlyArray<ContainerName> =>
  videosOf(job).map(({ container }) => container)

/** Why the outputs cannot take the video's picture; undefined if they can. */
const unfit = (video: MediaInfo, containers: ReadonlyArray<ContainerName>): string | undefined => {
  if (containers.length > 0 && video.picture === undefined)
    return `video: the file has no picture, which ${containers.join(", ")} needs; name a video, or set audio outputs only`
  for (const container of containers) {
    const codec = refusedPicture(video, container)
    if (codec !== undefined)
      return (
        `outputs: ${container} cannot hold ${codec} video, and dubwright never re-encodes the picture; ` +
        `use ${containersFor(codec).join(" or ")} instead`
      )
  }
  return undefined
}
