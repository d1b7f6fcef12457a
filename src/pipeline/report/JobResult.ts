/** How a job of a run ended, for its pages, the run's summary and run.json. */
import type { Metrics } from "../../domain/report/Report.ts"
import type { Job } from "../load/Job.ts"

/** How a job ended. */
export type JobResult = {
  readonly job: Job
  /** Its figures, where it was delivered now or before, or has at least a report. */
  readonly metrics: Metrics | undefined
  /** Its figures in the run before, where there was one. */
  readonly last: Metrics | undefined
  /** How many of its cues somebody should look at. */
  readonly looks: number
} & (
  | { readonly status: "delivered"; readonly files: ReadonlyArray<string>; readonly unchanged: boolean }
  | { readonly status: "failed" | "unfinished"; readonly error: string }
)
