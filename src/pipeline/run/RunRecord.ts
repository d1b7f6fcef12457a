/** What a run has done so far, for the run.json of a run that ends early. */
import type { JobId } from "../../domain/values/Ids.ts"
import type { JobResult } from "../report/JobResult.ts"
import { SpeakTally } from "../speak/SpeakTally.ts"

export class RunRecord {
  /** Results of jobs that have ended. */
  readonly ends = new Map<JobId, JobResult>()
  /** The account's credits at the start, if known. */
  credits: number | undefined
  /** What was spoken: all lines, then retakes. */
  readonly takes = new SpeakTally()
  readonly retakes = new SpeakTally()
}
