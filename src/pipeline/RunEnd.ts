/** The end of a run: videos that several jobs go into, the batch's spending, run.json and the batch's page. */
import { Path } from "@effect/platform"
import { Clock, DateTime, Effect, Either } from "effect"
import type { RunReport } from "../domain/Report.ts"
import { Outlay } from "../store/Outlay.ts"
import type { Batch } from "./Job.ts"
import type { JobResult } from "./JobDelivery.ts"
import { withLeftOut } from "./LeftOut.ts"
import { summaryOf, writeBatchPage } from "./ReportPages.ts"
import { type ResultUnwritable, writeResult } from "./ResultFolder.ts"
import { deliverShared } from "./SharedVideo.ts"
import type { Halt, SpeakSummary } from "./SpeakSettings.ts"

/** What was said in a run, and the account's credits around it. */
export interface Said {
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
}

/** When a run began: by the clock, and by a count that goes on as before where the clock is set. */
export interface Beginning {
  readonly at: DateTime.Utc
  readonly nanos: bigint
}

/** Now. */
export const beginning: Effect.Effect<Beginning> = Effect.all({
  at: DateTime.now,
  nanos: Clock.currentTimeNanos
})

/** Ends a run whose jobs ended so: writes down what it came to. */
export const endRun = Effect.fn("RunEnd.end")(function* (
  batch: Batch,
  { at, nanos }: Beginning,
  { summary, credits }: Said,
  ends: ReadonlyArray<JobResult>
) {
  const { basename, join } = yield* Path.Path
  const outlay = yield* Outlay
  const { key, name, manifest, out } = batch
  const every = yield* deliverShared(out, yield* withLeftOut(batch, ends))
  const ran = new Set(ends.map(({ job }) => job.id))
  const jobs = every.filter(({ job }) => ran.has(job.id))
  const halt = haltOf(summary)
  const { created, adopted, reused, retried, failed } = summary
  const report: RunReport = {
    ...(name === undefined ? {} : { name }),
    manifest: basename(manifest),
    startedAt: DateTime.formatIso(at),
    seconds: Math.round(Number((yield* Clock.currentTimeNanos) - nanos) / 1e6) / 1000,
    jobs: jobs.map(summaryOf),
    tasks: { created, adopted, reused, retried, failed },
    characters: summary.characters,
    credits,
    ...(halt === undefined ? {} : { stopped: halt }),
    warnings: summary.warnings
  }
  if (halt === undefined && summary.left === 0) yield* outlay.end(key)
  const written = yield* writeResult(join(out, "run.json"), `${JSON.stringify(report, undefined, 2)}\n`).pipe(
    Effect.zipRight(writeBatchPage(out, report, every)),
    Effect.either
  )
  const unwritten = Either.isLeft(written) ? written.left : undefined
  return { report, jobs, halt, unwritten } satisfies DubResult
})

/** What a run in which every clip was at hand has said. */
export const nothingSaid = (utterances: number): Said => ({
  summary: {
    created: 0,
    adopted: 0,
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
