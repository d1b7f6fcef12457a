/** The end of a run: videos that several jobs go into, the batch's spending, run.json and the batch's page. */
import { Path } from "@effect/platform"
import { Clock, DateTime, Effect, Either } from "effect"
import type { RunReport } from "../../domain/report/Report.ts"
import { BatchSpending } from "../../store/tables/BatchSpending.ts"
import { looksOf } from "../../pages/parts/CueMarks.ts"
import type { Batch, Job } from "../load/Job.ts"
import type { JobResult } from "../report/JobResult.ts"
import { withUnselectedJobs } from "./UnselectedJobs.ts"
import { Progress } from "../Progress.ts"
import { reportIn } from "../report/ReportFile.ts"
import { summaryOf, writeBatchPage } from "../report/ReportPages.ts"
import { type ResultUnwritable, writeResult } from "../report/ResultFolder.ts"
import { deliverShared } from "../deliver/SharedVideo.ts"
import type { Halt, SpeakSummary } from "../speak/SpeakSettings.ts"
import type { RunCounters } from "./RunCounters.ts"

/** What was said in a run, and the account's credits around it. */
export interface SpokenBatch {
  readonly summary: SpeakSummary
  readonly credits: RunReport["credits"]
}

/** How a run ended. */
export interface DubResult {
  readonly report: RunReport
  readonly jobs: ReadonlyArray<JobResult>
  /** Why creates were stopped early, where they were. */
  readonly halt: Halt | undefined
  /** Why run.json and index.html could not be written, where that was so: the jobs' own results stand. */
  readonly unwritten: ResultUnwritable | undefined
  /** Credits spent: what the account has lost, else the prices of what was sent; undefined where neither is known. */
  readonly spent: number | undefined
}

/** When a run began: by the clock, and by a count that goes on as before where the clock is set. */
export interface RunStart {
  readonly at: DateTime.Utc
  readonly nanos: bigint
}

/** Now. */
export const startRun: Effect.Effect<RunStart> = Effect.all({
  at: DateTime.now,
  nanos: Clock.currentTimeNanos
})

/** Ends a run whose jobs ended so: writes down what it came to. */
export const finishRun = Effect.fn("RunEnd.end")(function* (
  batch: Batch,
  begun: RunStart,
  { summary, credits }: SpokenBatch,
  ends: ReadonlyArray<JobResult>
) {
  const outlay = yield* BatchSpending
  const { key, out } = batch
  const every = yield* deliverShared(out, yield* withUnselectedJobs(batch, ends))
  const ran = new Set(ends.map(({ job }) => job.id))
  const jobs = every.filter(({ job }) => ran.has(job.id))
  const halt = haltOf(summary)
  const report = yield* reportOf(batch, begun, jobs, { summary, credits }, halt)
  if (halt === undefined && summary.left === 0) yield* outlay.end(key)
  const kept = yield* Effect.either(writeRun(out, report, every))
  const unwritten = Either.isLeft(kept) ? kept.left : undefined
  const { before, after } = credits
  const spent = before === undefined || after === undefined ? summary.credits : before - after
  return { report, jobs, halt, unwritten, spent } satisfies DubResult
})

/** Writes down what a run that does not come to its end has come to. */
export const finishEarly = (
  batch: Batch,
  begun: RunStart,
  tally: RunCounters,
  stopped: NonNullable<RunReport["stopped"]>
) =>
  written(batch, begun, tally, stopped).pipe(
    Effect.catchAll(({ message }) =>
      Effect.flatMap(Progress, (progress) =>
        progress.emit({ _tag: "Warning", message: `run.json is still that of the run before: ${message}` })
      )
    ),
    Effect.withSpan("RunEnd.early")
  )

const written = Effect.fnUntraced(function* (
  batch: Batch,
  begun: RunStart,
  tally: RunCounters,
  stopped: NonNullable<RunReport["stopped"]>
) {
  const ends = yield* Effect.forEach(batch.jobs, (job) => {
    const end = tally.ends.get(job.id)
    return end === undefined ? cutShort(batch.out, job, stopped) : Effect.succeed(end)
  })
  const { created, adopted, resumed, reused, retried, failed, characters } = tally
  const summary = { created, adopted, resumed, reused, retried, failed, characters }
  const credits = tally.credits === undefined ? {} : { before: tally.credits }
  const said = { summary: { ...summary, warnings: [...tally.warnings] }, credits }
  const report = yield* reportOf(batch, begun, ends, said, stopped)
  yield* writeRun(batch.out, report, yield* withUnselectedJobs(batch, ends))
})

/** A job of which the run has not seen the end; its page, if any, is that of a run before. */
const cutShort = Effect.fnUntraced(function* (
  out: string,
  job: Job,
  { words }: NonNullable<RunReport["stopped"]>
) {
  const before = yield* reportIn(out, job.id)
  const result: JobResult = {
    job,
    metrics: before?.metrics,
    last: before?.metrics,
    looks: looksOf(before?.cues ?? []),
    status: "unfinished",
    error: words
  }
  return result
})

/** What run.json says. */
const reportOf = Effect.fnUntraced(function* (
  { name, manifest }: Batch,
  { at, nanos }: RunStart,
  jobs: ReadonlyArray<JobResult>,
  { summary, credits }: Pick<SpokenBatch, "credits"> & { readonly summary: Counted },
  stopped: RunReport["stopped"]
) {
  const { basename } = yield* Path.Path
  const { created, adopted, resumed, reused, retried, failed, characters, warnings } = summary
  const report: RunReport = {
    ...(name === undefined ? {} : { name }),
    manifest: basename(manifest),
    startedAt: DateTime.formatIso(at),
    seconds: Math.round(Number((yield* Clock.currentTimeNanos) - nanos) / 1e6) / 1000,
    jobs: jobs.map(summaryOf),
    tasks: { created, adopted, resumed, reused, retried, failed },
    characters,
    credits,
    ...(stopped === undefined ? {} : { stopped }),
    warnings
  }
  return report
})

/** What of a summary run.json tells. */
type Counted = Pick<SpeakSummary, keyof RunReport["tasks"] | "characters" | "warnings">

/** Writes run.json and the batch's page; `every` are the manifest's jobs. */
const writeRun = Effect.fnUntraced(function* (
  out: string,
  report: RunReport,
  every: ReadonlyArray<JobResult>
) {
  const { join } = yield* Path.Path
  yield* writeResult(join(out, "run.json"), `${JSON.stringify(report, undefined, 2)}\n`)
  yield* writeBatchPage(out, report, every)
})

/** What a run in which every clip was at hand has said. */
export const nothingSpoken = (utterances: number): SpokenBatch => ({
  summary: {
    created: 0,
    adopted: 0,
    resumed: 0,
    reused: utterances,
    retried: 0,
    failed: 0,
    left: 0,
    suspect: 0,
    characters: 0,
    credits: undefined,
    halt: undefined,
    warnings: []
  },
  credits: {}
})

/** Why the run was stopped; a deadline that came when nothing was left to be started has stopped nothing. */
const haltOf = ({ halt, left }: SpeakSummary): Halt | undefined =>
  halt?.reason === "deadline" && left === 0 ? undefined : halt
