/** The pages of a review, made of what lies in the results' folder at that moment. */
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
import { planBatch, textsOf } from "../plan/BatchPlan.ts"
import { reportIn } from "../report/ReportFile.ts"
import { playableFiles } from "../report/ReportPages.ts"
import { writeResult } from "../report/ResultFolder.ts"
import { ReviewFailed } from "./ReviewFailed.ts"

/** Enough to draw an outline, and quick. */
const outlineRate = SampleRate.make(8_000)

/** The file with a job's sound that a browser plays, by its name in the job's folder; undefined where there is none. */
export const soundOf = Effect.fn("ReviewPages.sound")(function* (out: string, { id, outputs }: Job) {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const files = playableFiles.filter((name) => outputs.includes(name)).map((name) => `${id}.${name}`)
  return Option.getOrUndefined(
    yield* Effect.findFirst(files, (file) =>
      Effect.orElseSucceed(fs.exists(join(out, id, file)), () => false)
    )
  )
})

/** A job's page with its edit box. */
export const reviewedJob = Effect.fn("ReviewPages.job")(function* (batch: Batch, job: Job) {
  const { out } = batch
  const report = yield* reportIn(out, job.id)
  if (report === undefined)
    return yield* new ReviewFailed({
      words: `job ${job.id} has no report that can be read: run the batch first`
    })
  const audio = yield* soundOf(out, job)
  const peaks = audio === undefined ? [] : yield* outlineOf(out, job, audio, report)
  return reviewPage(report, { audio, peaks, parts: builtParts.review }, yield* changesPassedOver(batch, job))
})

/**
 * The changes to a job's cues that change nothing by now; none where the job cannot be planned, which asking for a cue
 * tells.
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

/** The batch's page, with the figures as they are now. */
export const reviewedBatch = Effect.fn("ReviewPages.batch")(function* (batch: Batch) {
  return yield* pageOf(batch, yield* runOf(batch))
})

/**
 * Brings run.json and index.html on the disk up to date after a job was delivered anew; where there is no run.json,
 * neither is made.
 */
export const rewriteBatch = Effect.fn("ReviewPages.rewrite")(function* (batch: Batch, delivered: Job) {
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
    Effect.mapError(
      run,
      () => new ReviewFailed({ words: `${out} holds no run.json that can be read: run the batch first` })
    )
  )

/** Every job of the manifest, by what the last run says of it or, where that run left it out, by its report. */
const pageOf = Effect.fnUntraced(function* (batch: Batch, run: RunReport) {
  const jobs = yield* Effect.forEach(
    batch.jobs,
    Effect.fnUntraced(function* ({ id }) {
      const report = yield* reportIn(batch.out, id)
      const shown: BatchJob = {
        summary: run.jobs.find((summary) => summary.id === id) ?? {
          id,
          status: report?.metrics.failed === 0 ? "delivered" : "unfinished"
        },
        metrics: report?.metrics,
        looks: looksOf(report?.cues ?? []),
        href: report === undefined ? undefined : `${encodeURIComponent(id)}/report.html`
      }
      return shown
    })
  )
  return batchPage(run, jobs, builtParts.batch)
})

/**
 * The sound's outline as the delivery wrote it into the job's page; decoded from the sound where that page holds none.
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

/** The outline of a file of sound; flat where it cannot be decoded, which no page should fail for. */
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
