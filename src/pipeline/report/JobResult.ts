/** The result of one job in a run, for the report pages, the run's summary and run.json. */
import type { Metrics } from "../../domain/report/Report.ts"
import type { Job } from "../load/Job.ts"

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
