/** Places a job: once its utterances are settled, decides where each of its lines is heard. */
import { Array, Effect } from "effect"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { addedTime, lengthenedTime, type PictureStretch } from "../../domain/time/PictureStretch.ts"
import { millisAtMicros, fromSeconds, toSeconds } from "../../domain/time/Units.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { inSpan } from "../Annotations.ts"
import type { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { Progress } from "../Progress.ts"
import { allFilesPresent, fingerprintOf } from "./JobFingerprint.ts"
import { unspokenLines } from "./LinePlacement.ts"
import { placeWithPicture, type HoldableJob } from "./PictureGiving.ts"
import type { TimelineFilm } from "../../domain/speech/Timeline.ts"
import { longerFilm } from "../../ffmpeg/mux/LongerFilm.ts"
import { placedAnew } from "../sync/RetimedScript.ts"

/** A job whose utterances are all spoken, failed or left. */
export interface SettledJob {
  readonly plan: JobPlan
  /** Retakes of its lines. */
  readonly takes: ReadonlyArray<UtteranceUse>
  /** The batch's output folder, absolute. */
  readonly out: string
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** Utterances whose audio looks wrong but was kept. */
  readonly suspects: ReadonlySet<UtteranceKey>
  /** Fingerprint of everything that decides the job's files. */
  readonly digest: string
  /** Its last delivery, if any. */
  readonly before: Delivery | undefined
  /** Whether the last delivery has all the files that this one would make. */
  readonly isUnchanged: boolean
}

/** Reads the data from which a job is placed. */
export const settledJob = Effect.fn("JobPlacement.settledJob")(function* (
  plan: JobPlan,
  takes: ReadonlyArray<UtteranceUse>,
  out: string,
  past: ReadonlyMap<string, Delivery>
) {
  const store = yield* UtteranceStore
  const clips = new Map<UtteranceKey, Clip>()
  const suspects = new Set<UtteranceKey>()
  const stored = yield* store.clips([...keysOf(plan), ...takes.map(({ utterance }) => utterance.key)])
  for (const [key, { clip, suspect }] of stored) {
    clips.set(key, clip)
    if (suspect !== undefined) suspects.add(key)
  }
  const digest = yield* fingerprintOf(plan, clips, out)
  const before = past.get(plan.job.id)
  const isUnchanged = before?.digest === digest && (yield* allFilesPresent(out, before))
  const settled: SettledJob = { plan, takes, out, clips, suspects, digest, before, isUnchanged }
  return settled
})

/** The keys of a job's utterances, each once, without its retakes. */
export const keysOf = ({ uses }: JobPlan): ReadonlyArray<UtteranceKey> => [
  ...new Set(uses.map(({ utterance }) => utterance.key))
]

/** A job with the place of everything that is heard. */
export interface PlacedJob extends SettledJob {
  /** Ordered by start. */
  readonly placements: ReadonlyArray<Placement>
  /** Where the film is lengthened; `plan` has the times of the result. */
  readonly stretches: ReadonlyArray<PictureStretch>
  /** The film as it is. */
  readonly film: MediaInfo | undefined
  /** Why utterances have no clip. */
  readonly failures: ReadonlyMap<UtteranceKey, string>
  /** The names of lines for which their provider returned no speech. */
  readonly unsaid: ReadonlySet<string>
}

/** The parts of a job plan from which its lines are placed. */
export interface PlaceablePlan extends Pick<JobPlan, "lines" | "uses"> {
  readonly job: Pick<JobPlan["job"], "fit" | "picture">
  readonly video: Pick<MediaInfo, "duration"> | undefined
  readonly reel?: Pick<JobPlan["reel"], "film">
}

/** What a job's lines are placed from. */
export const holdableJob = (
  { job, lines, uses, video, reel }: PlaceablePlan,
  clips: ReadonlyMap<UtteranceKey, Clip>,
  takes: ReadonlyArray<UtteranceUse> = []
): HoldableJob => ({
  lines,
  uses,
  clips,
  takes,
  limits: job.fit,
  picture: job.picture,
  film: reel?.film,
  ...(video === undefined ? {} : { horizon: millisAtMicros(video.duration) })
})

/** Utterances whose state is read at once. */
const keysAtOnce = 1_000

/** Places a job's lines on its timeline. */
export const placeJob = (settled: SettledJob) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const { emit } = yield* Progress
    const { plan, takes, clips } = settled
    const { job, video } = plan
    yield* emit({ _tag: "Placing", job: job.id })
    const failures = new Map<UtteranceKey, string>()
    for (const keys of Array.chunksOf(keysOf(plan), keysAtOnce))
      for (const [key, { state, setback }] of yield* store.standings(keys))
        if (state === "failed") failures.set(key, setback?.words ?? "failed")
    const { placements, stretches } = placeWithPicture(holdableJob(plan, clips, takes))
    const placed: PlacedJob = {
      ...settled,
      plan: lengthenedPlan(plan, stretches),
      placements,
      stretches,
      film: video,
      failures,
      unsaid: unspokenLines({ uses: plan.uses, clips })
    }
    return placed
  }).pipe(inSpan("JobPlacement.placeJob", { job: settled.plan.job.id }))

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
const lengthenedPlan = (plan: JobPlan, stretches: ReadonlyArray<PictureStretch>): JobPlan => {
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
