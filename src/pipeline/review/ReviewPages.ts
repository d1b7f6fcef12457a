/** Builds the review pages from the current contents of the output folder. */
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option, Stream } from "effect"
import { PeakMeter } from "../../audio/pcm/WaveformPeaks.ts"
import type { JobReport, RunReport } from "../../domain/report/Report.ts"
import { frames, SampleRate } from "../../domain/time/Units.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { type BatchJob, batchPage } from "../../pages/documents/BatchPage.ts"
import { builtParts } from "../../pages/documents/BuiltParts.ts"
import { looksOf } from "../../pages/parts/CueMarks.ts"
import { peaksIn } from "../../pages/documents/JobPage.ts"
import { reviewPage } from "../../pages/documents/ReviewPage.ts"
import type { Batch, Job } from "../load/Job.ts"
import { readPreviousRun } from "../run/PreviousRun.ts"
import { unusedOverrides } from "../plan/AppliedOverrides.ts"
import { planBatch } from "../plan/BatchPlan.ts"
import { textsOf } from "../plan/JobScript.ts"
import { reportIn } from "../report/ReportFile.ts"
import { longerFilmOf, playableFiles, seasonOf } from "../report/ReportPages.ts"
import { shownApprovals } from "../report/Approvals.ts"
import { writeResult } from "../report/ResultFolder.ts"
import { reviewFailed } from "./ReviewFailed.ts"

/** A sample rate that is enough to draw a waveform, and fast to decode. */
const outlineRate = SampleRate.make(8_000)

/** Returns the file name of a job's output that browsers play; undefined if there is none. */
export const soundOf = Effect.fn("ReviewPages.soundOf")(function* (out: string, { id, outputs }: Job) {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const files = playableFiles.filter((name) => outputs.includes(name)).map((name) => `${id}.${name}`)
  return Option.getOrUndefined(
    yield* Effect.findFirst(files, (file) =>
      Effect.orElseSucceed(fs.exists(join(out, id, file)), () => false)
    )
  )
})

/** The film that a job's page shows: its video, or the delivered one if its picture was held or slowed. */
export const filmShown = Effect.fn("ReviewPages.filmShown")(function* ({ out }: Batch, job: Job) {
  const { join } = yield* Path.Path
  const longer = (yield* reportIn(out, job.id))?.picture === undefined ? undefined : longerFilmOf(job)
  return longer === undefined ? job.video?.path : join(out, job.id, longer.name)
})

/** Builds a job's page with its edit box. */
export const reviewedJob = Effect.fn("ReviewPages.reviewedJob")(function* (batch: Batch, job: Job) {
  const { out } = batch
  const report = yield* reportIn(out, job.id)
  if (report === undefined)
    return yield* reviewFailed(`job ${job.id} has no readable report; run the batch first`)
  const audio = yield* soundOf(out, job)
  const peaks = audio === undefined ? [] : yield* outlineOf(out, job, audio, report)
  const path = yield* filmShown(batch, job)
  const name = path === undefined ? undefined : (yield* Path.Path).basename(path)
  const film = name === undefined ? undefined : { name, href: `film/${encodeURIComponent(name)}` }
  return reviewPage(
    report,
    { audio, film, peaks, parts: builtParts.review },
    yield* changesPassedOver(batch, job),
    shownApprovals(report, job.approvals)
  )
})

/**
 * Returns a job's overrides that have no effect any more. Empty if the job cannot be planned: opening a cue then shows
 * the error.
 */
const changesPassedOver = Effect.fnUntraced(function* (batch: Batch, job: Job) {
  const { overrides = {} } = job
  if (Object.keys(overrides).length === 0) return []
  const planned = yield* Effect.option(planBatch({ ...batch, jobs: [job] }))
  return Option.match(planned, {
    onNone: () => [],
    onSome: ({ jobs: [{ lines, script }] }) => unusedOverrides(lines, overrides, textsOf(script))
  })
})

/** Builds the batch's page with the current metrics. */
export const reviewedBatch = Effect.fn("ReviewPages.reviewedBatch")(function* (batch: Batch) {
  return yield* pageOf(batch, yield* runOf(batch))
})

/**
 * Updates run.json and index.html on disk after a job was delivered again. Does nothing if there is no run.json.
 */
export const rewriteBatch = Effect.fn("ReviewPages.rewriteBatch")(function* (batch: Batch, delivered: Job) {
  const { join } = yield* Path.Path
  const before = yield* readPreviousRun(batch.out)
  if (Option.isNone(before)) return
  const run: RunReport = {
    ...before.value,
    jobs: before.value.jobs.map((job) =>
      job.id === delivered.id ? { id: job.id, status: "delivered" } : job
    )
  }
  yield* writeResult(join(batch.out, "run.json"), `${JSON.stringify(run, undefined, 2)}\n`)
  yield* writeResult(join(batch.out, "index.html"), (yield* pageOf(batch, run)).pieces())
})

const runOf = ({ out }: Batch) =>
  Effect.flatMap(readPreviousRun(out), (run) =>
    Effect.mapError(run, () => reviewFailed(`no readable run.json in ${out}; run the batch first`))
  )

/** Lists every job of the manifest: its status is from the last run or, if that run left it out, from its report. */
const pageOf = Effect.fnUntraced(function* (batch: Batch, run: RunReport) {
  const jobs = yield* Effect.forEach(
    batch.jobs,
    Effect.fnUntraced(function* (job) {
      const { id, approvals } = job
      const report = yield* reportIn(batch.out, id)
      const approval = report === undefined ? undefined : shownApprovals(report, approvals).job
      return {
        summary: run.jobs.find((summary) => summary.id === id) ?? {
          id,
          status: report?.metrics.failed === 0 ? "delivered" : "unfinished"
        },
        metrics: report?.metrics,
        looks: looksOf(report?.cues ?? []),
        href: report === undefined ? undefined : `${encodeURIComponent(id)}/report.html`,
        season: seasonOf(job),
        isApproved: approval !== undefined && approval.isStale !== true
      } satisfies BatchJob
    })
  )
  return batchPage(run, jobs, builtParts.batch)
})

/**
 * Returns the waveform that the delivery wrote into the job's page, or decodes it from the audio if the page has none.
 */
const outlineOf = Effect.fnUntraced(function* (
  out: string,
  { id }: Job,
  file: string,
  { duration }: JobReport
) {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const page = yield* Effect.orElseSucceed(fs.readFileString(join(out, id, "report.html")), () => "")
  return peaksIn(page) ?? (yield* decodedOutline(join(out, id, file), duration))
})

/** Decodes a file's waveform. If that fails, returns a flat one: a page should not fail for it. */
const decodedOutline = Effect.fnUntraced(function* (path: string, duration: number) {
  const ffmpeg = yield* Ffmpeg
  const meter = new PeakMeter(outlineRate, 1, frames(duration * outlineRate))
  yield* Effect.ignore(
    Stream.runForEach(ffmpeg.decodeBlocks({ path }, outlineRate), (block) =>
      Effect.sync(() => meter.push(block))
    )
  )
  return meter.peaks()
})
