/** Ends a run: writes shared videos, the batch's spending, run.json and index.html. */
import { Path } from "@effect/platform"
import { Cause, Clock, DateTime, Effect, Either, Exit, Option } from "effect"
import type { Credits } from "../../contract/Account.ts"
import type { RunReport } from "../../domain/report/Report.ts"
import type { JobId } from "../../domain/values/Ids.ts"
import { StateUnusable } from "../../store/state/StateErrors.ts"
import { BatchSpending } from "../../store/tables/BatchSpending.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import type { Batch } from "../load/Job.ts"
import { type JobResult, reportFigures } from "../report/JobResult.ts"
import { withUnselectedJobs } from "./UnselectedJobs.ts"
import { warn } from "../Progress.ts"
import { reportIn } from "../report/ReportFile.ts"
import { summaryOf, writeBatchPage } from "../report/ReportPages.ts"
import { type ResultUnwritable, writeResult } from "../report/ResultFolder.ts"
import { deliverShared } from "../deliver/SharedVideo.ts"
import { dearestBy } from "../speak/Ledger.ts"
import type { Halt, SpeakSummary } from "../speak/SpeakSettings.ts"
import { SpeakTally } from "../speak/SpeakTally.ts"

/** Result of the speak stage, what it spent, and the account's credits before and after it. */
export interface SpokenBatch {
  readonly summary: SpeakSummary
  readonly credits: RunReport["credits"]
}

/** Result of a run. */
export interface DubResult {
  readonly report: RunReport
  readonly jobs: ReadonlyArray<JobResult>
  /** Why creates were stopped early, if they were. */
  readonly halt: Halt | undefined
  /** Why run.json and index.html could not be written, if so; the jobs' own results are still valid. */
  readonly unwritten: ResultUnwritable | undefined
  /**
   * Credits spent: what the tasks cost, as far as the account was charged for them, else the change of its balance;
   * undefined if neither is known.
   */
  readonly spent: number | undefined
  /** Whether the batch is done: the next run counts its spending from 0. */
  readonly isDone: boolean
}

/** The progress of a run, for the run.json of a run that ends early. */
export class RunRecord {
  /** Results of jobs that have ended. */
  readonly ends = new Map<JobId, JobResult>()
  /** The account before the run speaks, if known. */
  account: Credits | undefined
  /** What was spoken: the lines of all jobs, retakes and rewritten lines. */
  readonly tally = new SpeakTally()
}

/** Start of a run: wall-clock time, and a monotonic clock that is unaffected when the clock is set. */
export interface RunStart {
  readonly at: DateTime.Utc
  readonly nanos: bigint
}

export const startRun: Effect.Effect<RunStart> = Effect.all({
  at: DateTime.now,
  nanos: Clock.currentTimeNanos
})

/** Ends a run with these job results: writes shared videos, run.json and the batch's page. */
export const finishRun = Effect.fn("RunCompletion.finishRun")(function* (
  batch: Batch,
  start: RunStart,
  { summary, credits }: SpokenBatch,
  ends: ReadonlyArray<JobResult>
) {
  const spending = yield* BatchSpending
  const { key, out } = batch
  const every = yield* deliverShared(out, yield* withUnselectedJobs(batch, ends))
  const ran = new Set(ends.map(({ job }) => job.id))
  const jobs = every.filter(({ job }) => ran.has(job.id))
  const halt = haltOf(summary)
  const report = yield* reportOf(batch, start, jobs, { summary, credits }, halt)
  const isDone = halt === undefined && summary.left === 0
  if (isDone) yield* spending.end(key)
  const kept = yield* Effect.either(writeRun(out, report, every))
  const unwritten = Either.isLeft(kept) ? kept.left : undefined
  return { report, jobs, halt, unwritten, spent: credits.spent, isDone } satisfies DubResult
})

/** Writes run.json if the scope closes before the run's end, because it is interrupted or its state fails. */
export const recordEarlyEnd = (batch: Batch, start: RunStart, record: RunRecord) =>
  Effect.addFinalizer((exit) => {
    const stopped = Exit.isFailure(exit) ? stoppedBy(exit.cause) : undefined
    return stopped === undefined ? Effect.void : finishEarly(batch, start, record, stopped)
  })

/** Why a run ended early, for run.json; undefined for failures before any work was done. */
const stoppedBy = (cause: Cause.Cause<unknown>): RunReport["stopped"] => {
  if (Cause.isInterruptedOnly(cause))
    return { reason: "interrupted", words: "the run was interrupted; run again to resume" }
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  return failure instanceof StateUnusable ? { reason: "state", words: failure.message } : undefined
}

const finishEarly = (
  batch: Batch,
  start: RunStart,
  record: RunRecord,
  stopped: NonNullable<RunReport["stopped"]>
) =>
  written(batch, start, record, stopped).pipe(
    Effect.catchAll(({ message }) => warn(`run.json still shows the previous run: ${message}`)),
    Effect.withSpan("RunCompletion.finishEarly")
  )

const written = Effect.fnUntraced(function* (
  batch: Batch,
  start: RunStart,
  record: RunRecord,
  stopped: NonNullable<RunReport["stopped"]>
) {
  const ends = yield* Effect.forEach(batch.jobs, (job) => {
    const end = record.ends.get(job.id)
    if (end !== undefined) return Effect.succeed(end)
    // Its page, if any, is from an earlier run.
    return Effect.map(reportIn(batch.out, job.id), (report): JobResult => ({
      job,
      status: "unfinished",
      error: stopped.words,
      ...reportFigures(report)
    }))
  })
  const { tally, account } = record
  const said = {
    summary: { ...tally.counts, warnings: [...tally.warnings] },
    credits: account?.credits === undefined ? {} : { before: account.credits }
  }
  const report = yield* reportOf(batch, start, ends, said, stopped)
  yield* writeRun(batch.out, report, yield* withUnselectedJobs(batch, ends))
})

/** What a batch has spent since the first of its runs that did not finish: in all, and on new takes. */
export const spentSoFar = Effect.fnUntraced(function* ({ key, profileOf }: Batch) {
  const price = dearestBy(profileOf, yield* Estimates)
  const spent = yield* Effect.flatMap(BatchSpending, (spending) => spending.spent(key))
  const costOf = (some: typeof spent) =>
    some.reduce((sum, { casting, credits, unpriced }) => sum + credits + unpriced * price(casting), 0)
  const again = spent.filter(({ isRepeated }) => isRepeated)
  const tasks = again.reduce((sum, one) => sum + one.tasks, 0)
  return { credits: costOf(spent), repeats: { tasks, credits: costOf(again) } }
})

/** Builds run.json. */
const reportOf = Effect.fnUntraced(function* (
  batch: Batch,
  { at, nanos }: RunStart,
  jobs: ReadonlyArray<JobResult>,
  { summary, credits }: Pick<SpokenBatch, "credits"> & { readonly summary: Counted },
  stopped: RunReport["stopped"]
) {
  const { basename } = yield* Path.Path
  const { name, manifest } = batch
  // A run whose state has failed cannot read it.
  const soFar = yield* Effect.option(spentSoFar(batch))
  const { created, adopted, resumed, reused, retried, failed, characters, warnings } = summary
  return {
    ...(name === undefined ? {} : { name }),
    manifest: basename(manifest),
    startedAt: DateTime.formatIso(at),
    seconds: Math.round(Number((yield* Clock.currentTimeNanos) - nanos) / 1e6) / 1000,
    jobs: jobs.map(summaryOf),
    tasks: { created, adopted, resumed, reused, retried, failed },
    characters,
    credits: { ...credits, ...Option.getOrUndefined(Option.map(soFar, creditsSoFar)) },
    ...(stopped === undefined ? {} : { stopped }),
    warnings
  } satisfies RunReport
})

const creditsSoFar = ({ credits, repeats }: Effect.Effect.Success<ReturnType<typeof spentSoFar>>) => ({
  ...(credits === 0 ? {} : { batch: credits }),
  ...(repeats.tasks === 0 ? {} : { repeats })
})

/** The part of a summary that run.json contains. */
type Counted = Pick<SpeakSummary, keyof RunReport["tasks"] | "characters" | "warnings">

/** Writes run.json and the batch's page; `every` lists all jobs of the manifest. */
const writeRun = Effect.fnUntraced(function* (
  out: string,
  report: RunReport,
  every: ReadonlyArray<JobResult>
) {
  const { join } = yield* Path.Path
  yield* writeResult(join(out, "run.json"), `${JSON.stringify(report, undefined, 2)}\n`)
  yield* writeBatchPage(out, report, every)
})

/** The summary of a run in which every clip was reused. */
export const nothingSpoken = (utterances: number): SpeakSummary => ({
  ...new SpeakTally().counts,
  reused: utterances,
  credits: undefined,
  halt: undefined,
  warnings: []
})

/** Why the run was stopped. A deadline that passed with nothing left to start did not stop anything. */
const haltOf = ({ halt, left }: SpeakSummary): Halt | undefined =>
  halt?.reason === "deadline" && left === 0 ? undefined : halt
