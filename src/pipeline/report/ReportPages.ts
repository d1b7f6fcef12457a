/** Writes a job's report.json and report.html, and the batch's index.html. */
import { Path } from "@effect/platform"
import { Effect } from "effect"
import { type OutputName, videoNames } from "../../domain/manifest/Outputs.ts"
import type { JobReport, JobSummary, Metrics, RunReport } from "../../domain/report/Report.ts"
import { type BatchJob, batchPage } from "../../pages/documents/BatchPage.ts"
import { builtParts } from "../../pages/documents/BuiltParts.ts"
import { jobPage } from "../../pages/documents/JobPage.ts"
import { streamJson } from "../../domain/values/JsonStream.ts"
import type { Job } from "../load/Job.ts"
import type { JobResult } from "./JobResult.ts"
import { writeResult } from "./ResultFolder.ts"

/** The waveform that a job's page shows. */
export interface Outline {
  /** Levels from 0 to 1 at equal time steps. */
  readonly peaks: ArrayLike<number>
  /** Whether the job's files exist: only then does the page get a player. */
  readonly delivered: boolean
}

/** Writes a job's report and its page; `last` holds the metrics of the previous run. */
export const writeJobReport = Effect.fn("ReportPages.writeJobReport")(function* (
  out: string,
  job: Job,
  report: JobReport,
  { peaks, delivered }: Outline,
  last: Metrics | undefined
) {
  const { join } = yield* Path.Path
  const path = join(out, job.id, "report.html")
  yield* writeResult(join(out, job.id, "report.json"), streamJson(report))
  const sound = delivered ? playableFiles.find((name) => job.outputs.includes(name)) : undefined
  yield* writeResult(
    path,
    jobPage(report, {
      audio: sound === undefined ? undefined : `${job.id}.${sound}`,
      film: report.picture === undefined || !delivered ? yield* filmBeside(path, job) : longerFilmOf(job),
      peaks,
      lastMetrics: last,
      parts: builtParts.job
    }).pieces()
  )
})

/** The job's video as the page links it. A video on another drive has no relative address, so the page has no film. */
const filmBeside = Effect.fnUntraced(function* (page: string, { video }: Job) {
  if (video === undefined) return undefined
  const { basename, dirname, isAbsolute, relative } = yield* Path.Path
  const to = relative(dirname(page), video.path)
  if (isAbsolute(to)) return undefined
  return { name: basename(video.path), href: to.split(/[\\/]/u).map(encodeURIComponent).join("/") }
})

/** The delivered video, which alone is as long as the dub if the picture was held or slowed. */
export const longerFilmOf = ({ id, outputs }: Pick<Job, "id" | "outputs">) => {
  const ending = videoNames.find((name) => outputs.includes(name))
  return ending === undefined
    ? undefined
    : { name: `${id}.${ending}`, href: `${encodeURIComponent(id)}.${ending}` }
}

/** Writes the batch's page and returns its path. The page lists `results` in the given order. */
export const writeBatchPage = Effect.fn("ReportPages.writeBatchPage")(function* (
  out: string,
  report: RunReport,
  results: ReadonlyArray<JobResult>
) {
  const { join } = yield* Path.Path
  const path = join(out, "index.html")
  const jobs = results.map((result): BatchJob => ({
    summary: summaryOf(result),
    metrics: result.metrics,
    lastMetrics: result.last,
    looks: result.looks,
    href: result.metrics === undefined ? undefined : `${encodeURIComponent(result.job.id)}/report.html`,
    season: seasonOf(result.job)
  }))
  yield* writeResult(path, batchPage(report, jobs, builtParts.batch).pieces())
  return path
})

/** A job's place in a season's grid; undefined if its input is not matched by names. */
export const seasonOf = ({ episode, language }: Pick<Job, "episode" | "language">) =>
  episode === undefined ? undefined : { episode, language: language ?? "" }

/** Returns a job's entry in run.json. */
export const summaryOf = (result: JobResult): JobSummary => ({
  id: result.job.id,
  status: result.status,
  ...(result.status === "delivered" ? {} : { error: result.error })
})

/** Outputs that browsers play; those with sample-accurate seeking come first. */
export const playableFiles: ReadonlyArray<OutputName> = [
  "wav",
  "flac",
  "m4a",
  "opus",
  "mp3",
  "mp4",
  "webm",
  "mov",
  "mkv"
]
