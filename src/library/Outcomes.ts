/** Results of the library's functions: values instead of printed text and exit codes. */
import { Path } from "@effect/platform"
import { Effect, Either } from "effect"
import { isServiceFault, type Metrics, type RunReport } from "../domain/report/Report.ts"
import type { PlanReport } from "../domain/report/PlanReport.ts"
import type { Refused } from "../gateway/GatewayErrors.ts"
import type { InputRejected } from "../pipeline/load/InputRejected.ts"
import type { Batch } from "../pipeline/load/Job.ts"
import { isVerified, type Verification, type verifyBatch } from "../pipeline/report/DeliveryVerification.ts"
import type { JobResult } from "../pipeline/report/JobResult.ts"
import { reportIn } from "../pipeline/report/ReportFile.ts"
import type { DubResult } from "../pipeline/run/RunCompletion.ts"
import type { Halt } from "../pipeline/speak/SpeakSettings.ts"
import type { Prospect } from "./PlanOutlook.ts"

/** A cue without speech in the result. */
export interface FailedCue {
  /** The cue's number in its file. */
  readonly index: number
  readonly text: string
  readonly error: string
}

/** The result of one job. */
export interface DubbedJob {
  readonly id: string
  /** `unfinished`: the next run continues it. */
  readonly status: "delivered" | "failed" | "unfinished"
  /** Why the job is not delivered. */
  readonly error?: string
  /** Absolute paths of the delivered files, without the reports. */
  readonly files: ReadonlyArray<string>
  /** Absolute path of report.html; absent if there is none. */
  readonly report?: string
  /** Whether an earlier run delivered the same files. */
  readonly unchanged: boolean
  /** Cues that a person should check; the report lists them. */
  readonly toReview: number
  /** Cues that are silent because they could not be read or spoken. */
  readonly failedCues: ReadonlyArray<FailedCue>
  /** Absent if the job has no report. */
  readonly metrics?: Metrics
}

/** The result of `dub`. */
export interface DubOutcome {
  /** `stopped`: by the budget, the deadline, the account or its key. `failed`: a job is not delivered. */
  readonly status: "done" | "failed" | "stopped"
  /** Why the status is not `done`, in one line. */
  readonly message?: string
  readonly jobs: ReadonlyArray<DubbedJob>
  /** Credits spent, and the account's balance after the run; absent if unknown. */
  readonly credits: { readonly spent?: number; readonly left?: number }
  /** Why no more tasks were created, if the run stopped early. */
  readonly halt?: Halt
  /** Repairs and skipped parts of the scripts, and warnings of the run. */
  readonly notices: ReadonlyArray<string>
  /** The absolute output folder; its index.html shows all jobs. */
  readonly out: string
  /** The content of run.json. */
  readonly report: RunReport
}

/** The result of `plan`. */
export interface PlanOutcome {
  /** Whether the batch can run, with all its jobs. */
  readonly ok: boolean
  /** Why it cannot; `ofOneJob` if the other jobs can. */
  readonly error?: InputRejected | Refused
  /** The utterances that would be sent, their price, and the lines that will not fit. */
  readonly report: PlanReport
  /** Repairs and skipped parts of the scripts, and checks that could not be made. */
  readonly notices: ReadonlyArray<string>
}

/** The result of `verify`. */
export interface VerifyOutcome {
  /** Whether every cue of every job is audible where its report says. */
  readonly ok: boolean
  /** The jobs with an audio or video output. */
  readonly jobs: ReadonlyArray<{
    readonly id: string
    readonly ok: boolean
    /** Why the job cannot be verified. */
    readonly error?: string
    readonly verification?: Verification
  }>
}

/** Converts the result of a run. */
export const dubOutcome = Effect.fnUntraced(function* (
  { out }: Batch,
  { report, jobs, halt, unwritten, spent }: DubResult,
  notices: ReadonlyArray<string>
) {
  const undone = jobs.filter(({ status }) => status !== "delivered").map(({ job }) => job.id)
  const stopped = halt !== undefined && !isServiceFault(halt.reason)
  const message = stopped
    ? halt.words
    : (unwritten?.message ??
      (undone.length === 0
        ? undefined
        : `${undone.length} of ${jobs.length} jobs not delivered: ${undone.join(", ")}`))
  const left = report.credits.after
  const outcome: DubOutcome = {
    status: stopped ? "stopped" : message === undefined ? "done" : "failed",
    ...(message === undefined ? {} : { message }),
    jobs: yield* Effect.forEach(jobs, (job) => jobOutcome(out, job)),
    credits: { ...(spent === undefined ? {} : { spent }), ...(left === undefined ? {} : { left }) },
    ...(halt === undefined ? {} : { halt }),
    notices: [...notices, ...report.warnings],
    out,
    report
  }
  return outcome
})

const jobOutcome = Effect.fnUntraced(function* (out: string, result: JobResult) {
  const path = yield* Path.Path
  const { job, metrics, looks } = result
  const cues = (metrics?.failed ?? 0) === 0 ? [] : ((yield* reportIn(out, job.id))?.cues ?? [])
  const outcome: DubbedJob = {
    id: job.id,
    status: result.status,
    ...(result.status === "delivered" ? {} : { error: result.error }),
    files: result.status === "delivered" ? result.files.map((file) => path.resolve(out, file)) : [],
    unchanged: result.status === "delivered" && result.unchanged,
    toReview: looks,
    failedCues: cues.flatMap(({ index, text, status, error = "" }) =>
      status === "failed" ? [{ index, text, error }] : []
    ),
    ...(metrics === undefined ? {} : { metrics, report: path.join(out, job.id, "report.html") })
  }
  return outcome
})

/** Converts a dry run; `notes` are from loading the batch. */
export const planOutcome = (
  { report, rejected, refused, notes: checks }: Prospect,
  notes: ReadonlyArray<string>
): PlanOutcome => {
  const error = rejected ?? refused
  return {
    ok: error === undefined,
    ...(error === undefined ? {} : { error }),
    report,
    notices: [...notes, ...checks, ...report.notices]
  }
}

/** Converts the verifications of a batch. */
export const verifyOutcome = (all: Effect.Effect.Success<ReturnType<typeof verifyBatch>>): VerifyOutcome => {
  const jobs = all.map(({ id, heard }) =>
    Either.match(heard, {
      onLeft: ({ message }) => ({ id, ok: false, error: message }),
      onRight: (verification) => ({ id, ok: isVerified(verification), verification })
    })
  )
  return { ok: jobs.every(({ ok }) => ok), jobs }
}
