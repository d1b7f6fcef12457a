/** A job's plan on the lengthened film: its cues, chapters and film have the times of the result. */
import type { TimelineFilm } from "../../domain/speech/Timeline.ts"
import { addedTime, lengthenedTime, type PictureStretch } from "../../domain/time/PictureStretch.ts"
import { fromSeconds, toSeconds } from "../../domain/time/Units.ts"
import { longerFilm } from "../../ffmpeg/mux/LongerFilm.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { placedAnew } from "../sync/RetimedScript.ts"

/** The film that timelines refer to is the delivered video: its picture is longer, and its sound has the dub. */
const longerReel = (
  { frameRate, startFrame, pictures }: Omit<TimelineFilm, "path">,
  stretches: ReadonlyArray<PictureStretch>
): Omit<TimelineFilm, "path"> => ({
  frameRate,
  startFrame,
  pictures: pictures + Math.round((addedTime(stretches) * frameRate.rate.value) / 1_000)
})

/** Moves a plan's times. Its lines keep their own, since approvals and overrides refer to these. */
export const lengthenedPlan = (plan: JobPlan, stretches: ReadonlyArray<PictureStretch>): JobPlan => {
  if (stretches.length === 0) return plan
  const { job, script, timing, video, reel } = plan
  const { moved, script: later } = placedAnew(
    script,
    ({ start, end }) => ({ start: lengthenedTime(stretches, start), end: lengthenedTime(stretches, end) }),
    timing?.moved ?? new Map()
  )
  const film = video === undefined ? undefined : longerFilm(video, stretches)
  return {
    ...plan,
    job:
      job.chapters === undefined
        ? job
        : {
            ...job,
            chapters: job.chapters.map((chapter) => ({
              ...chapter,
              start: toSeconds(lengthenedTime(stretches, fromSeconds(chapter.start)))
            }))
          },
    script: later,
    timing: { ...timing, moved },
    video: film,
    reel: { ...reel, ...(reel.film === undefined ? {} : { film: longerReel(reel.film, stretches) }) }
  }
}
