/** The result of one job in a run, for the report pages, the run's summary and run.json. */
import type { Metrics, JobReport } from "../../domain/report/Report.ts"
import type { Job } from "../load/Job.ts"
import { looksOf } from "../../pages/parts/CueMarks.ts"

/** The figures of a job's report; those without one if there is none. `last` has the previous run's metrics. */
export const reportFigures = (report: JobReport | undefined, last = report?.metrics) => ({
  metrics: report?.metrics,
  last,
  looks: looksOf(report?.cues ?? [])
})

/** The result of a job. */
export type JobResult = {
  readonly job: Job
  /** Its metrics, if it has a report from this run or an earlier one. */
  readonly metrics: Metrics | undefined
  /** Its metrics in the previous run, if any. */
  readonly last: Metrics | undefined
  /** How many of its cues are to check. */
  readonly looks: number
} & (
  | { readonly status: "delivered"; readonly files: ReadonlyArray<string>; readonly unchanged: boolean }
  | { readonly status: "failed" | "unfinished"; readonly error: string }
)
