/**
 * A job's video, looked at before anything is paid for: its length is the result's, and its picture goes into the
 * result.
 */
import { Effect } from "effect"
import {
  changedSounds,
  type ContainerName,
  containerOf,
  containersFor,
  refusedPicture
} from "../../ffmpeg/mux/Container.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import type { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import { fileFault } from "../load/InputFile.ts"
import { rejectInput } from "../load/InputRejected.ts"
import type { Job } from "../load/Job.ts"

/** What its file holds; undefined for a job without one. */
export const probeJobVideo = Effect.fnUntraced(function* (job: Job) {
  const asked = containersOf(job)
  if (job.video === undefined) {
    return asked.length === 0
      ? undefined
      : yield* rejectInput(
          job.inputName,
          `job ${job.id}: outputs: ${asked.join(", ")} needs a video: name one under video`
        )
  }
  const ffmpeg = yield* Ffmpeg
  const { name, path } = job.video
  const strange = yield* fileFault(path)
  if (strange !== undefined) return yield* rejectInput(name, `job ${job.id}: video: ${strange}`)
  const video = yield* ffmpeg
    .probe(path)
    .pipe(Effect.mapError((error) => rejectInput(name, `job ${job.id}: video: ${error.message}`)))
  const fault = unfit(video, asked)
  return fault === undefined ? video : yield* rejectInput(name, `job ${job.id}: ${fault}`)
})

/** How the film's own sound would change in the videos that a job asks for, a sentence for each change. */
export const soundNotices = (job: Job, film: MediaInfo | undefined): ReadonlyArray<string> =>
  film === undefined
    ? []
    : videosOf(job).flatMap(({ name, container }) =>
        changedSounds(film, container, job.original).map(
          ({ from, to }) => `the film's ${from} sound becomes ${to} in ${name}`
        )
      )

/** The video files that a job asks for. */
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

/** Why a picture cannot go where it should, in words. */
const unfit = (video: MediaInfo, asked: ReadonlyArray<ContainerName>): string | undefined => {
  if (asked.length > 0 && video.picture === undefined)
    return `video: holds no picture, which ${asked.join(", ")} needs: name a film, or ask for sound alone`
  for (const container of asked) {
    const codec = refusedPicture(video, container)
    if (codec !== undefined)
      return (
        `outputs: ${container} cannot hold ${codec} picture as it is, and the picture is never re-encoded; ` +
        `ask for ${containersFor(codec).join(" or ")} instead`
      )
  }
  return undefined
}
