/** Videos shared by several jobs: each job adds a sound track and a subtitle track in its language. */
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect, Option } from "effect"
import { JobId } from "../../domain/values/Ids.ts"
import { soundNames } from "../../domain/manifest/Outputs.ts"
import { fromSeconds } from "../../domain/time/Units.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import type { DubTrack, SubtitleTrack } from "../../ffmpeg/mux/MuxRequest.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { allFilesPresent, sizeAndTimeOf } from "../place/JobFingerprint.ts"
import { trackTitle } from "./OutputPlan.ts"
import type { Job } from "../load/Job.ts"
import type { JobResult } from "../report/JobResult.ts"
import { emit, warn } from "../Progress.ts"
import { reportIn } from "../report/ReportFile.ts"

/**
 * Muxes every shared video whose jobs are all delivered, with tracks in the batch's order. The first job's track is the
 * default, and its settings decide about the video's own sound. Returns the results with the videos among their files;
 * if a video fails, its jobs fail.
 */
export const deliverShared = Effect.fn("SharedVideo.deliverShared")(function* (
  out: string,
  results: ReadonlyArray<JobResult>
) {
  const shared = Array.groupBy(
    results.filter(({ job }) => job.into !== undefined),
    ({ job }) => job.into ?? ""
  )
  const ends = new Map<string, SharedEnd>()
  for (const [name, members] of Object.entries(shared)) {
    const jobs = members.flatMap(({ job, status }) => (status === "delivered" ? [job] : []))
    if (jobs.length < members.length || !Array.isNonEmptyArray(jobs)) {
      const missing = members.flatMap(({ job, status }) => (status === "delivered" ? [] : [job.id]))
      yield* warn(`${name}: not written because these jobs are not delivered: ${missing.join(", ")}`)
      continue
    }
    ends.set(name, yield* deliverOne(out, name, jobs))
  }
  return results.map((result) => withEnd(result, ends.get(result.job.into ?? "")))
})

/** Outcome of a video: its path, or why it could not be made. */
type SharedEnd = { readonly path: string } | { readonly error: string }

const withEnd = (result: JobResult, end: SharedEnd | undefined): JobResult => {
  if (end === undefined || result.status !== "delivered") return result
  if ("path" in end) return { ...result, files: [...result.files, end.path] }
  const { job, metrics, last, looks } = result
  return { job, metrics, last, looks, status: "failed", error: end.error }
}

const deliverOne = Effect.fnUntraced(function* (
  out: string,
  name: string,
  jobs: Array.NonEmptyReadonlyArray<Job>
) {
  const ffmpeg = yield* Ffmpeg
  const path = yield* Path.Path
  const [first] = jobs
  const target = path.join(out, name)
  const members = yield* Effect.forEach(jobs, (job) => memberOf(out, job))
  const digest = digestOf([
    first.original,
    first.duck,
    first.video?.path,
    yield* sizeAndTimeOf(first.video),
    jobs.some(({ markSynthetic }) => markSynthetic),
    members
  ])
  const deliveries = yield* Deliveries
  const id = JobId.make(name)
  const before = (yield* deliveries.all(out)).get(id)
  if (before?.digest === digest && (yield* allFilesPresent(out, before))) return { path: target }
  const [track, ...others] = members.map(({ track }) => track)
  if (track === undefined || first.video === undefined) return { error: `${name}: no job delivers into it` }
  yield* emit({ _tag: "Muxing", file: name })
  const muxing = ffmpeg.mux({
    video: first.video.path,
    out: target,
    tracks: [{ ...track, isDefault: true }, ...others],
    original: first.original === "duck" ? first.duck : first.original,
    isMarked: jobs.some(({ markSynthetic }) => markSynthetic),
    subtitles: members.flatMap(({ subtitle }) => (subtitle === undefined ? [] : [subtitle]))
  })
  return yield* Effect.matchEffect(muxing, {
    onFailure: ({ message }) => Effect.succeed<SharedEnd>({ error: `${name}: ${message}` }),
    onSuccess: () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const stat = yield* Effect.option(fs.stat(target))
        if (Option.isSome(stat)) {
          const files = [{ path: name, bytes: Number(stat.value.size) }]
          yield* deliveries.remember(out, id, { digest, files })
        }
        return { path: target } satisfies SharedEnd
      })
  })
})

interface Member {
  readonly track: DubTrack
  readonly subtitle: SubtitleTrack | undefined
  /** Sizes and modification times of its files. */
  readonly state: ReadonlyArray<string>
}

/** A job's best sound file, and its subtitle if it delivers one. */
const memberOf = Effect.fnUntraced(function* (out: string, job: Job) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const fileOf = (ending: string) => path.join(out, job.id, `${job.id}.${ending}`)
  const sound = fileOf(soundNames.find((name) => job.outputs.includes(name)) ?? "wav")
  const text = (["srt", "vtt"] as const).find((name) => job.outputs.includes(name))
  const about = {
    title: trackTitle(job),
    ...(job.language === undefined ? {} : { language: job.language })
  }
  const state = yield* Effect.forEach([sound, ...(text === undefined ? [] : [fileOf(text)])], (file) =>
    Effect.map(
      Effect.option(fs.stat(file)),
      Option.match({
        onNone: () => "",
        onSome: ({ size, mtime }) => `${size} ${Option.getOrUndefined(mtime)?.getTime() ?? 0}`
      })
    )
  )
  return {
    track: { path: sound, isDefault: false, spoken: yield* spokenIn(out, job), ...about },
    subtitle: text === undefined ? undefined : { path: fileOf(text), ...about },
    state
  } satisfies Member
})

/** When a job's cues are audible, from its report. */
const spokenIn = Effect.fnUntraced(function* (out: string, { id }: Job) {
  const report = yield* reportIn(out, id)
  return (report?.cues ?? []).flatMap(({ placed }) =>
    placed === undefined ? [] : [{ start: fromSeconds(placed.start), end: fromSeconds(placed.end) }]
  )
})
