/** The progress of a run, for the run.json of a run that ends early. */
import type { Credits } from "../../contract/Account.ts"
import type { JobId } from "../../domain/values/Ids.ts"
import type { JobResult } from "../report/JobResult.ts"
import { SpeakTally } from "../speak/SpeakTally.ts"

export class RunRecord {
  /** Results of jobs that have ended. */
  readonly ends = new Map<JobId, JobResult>()
  /** The account before the run speaks, if known. */
  account: Credits | undefined
  /** The results of speaking: all lines, then retakes and rewritten lines, round by round. */
  readonly takes = new SpeakTally()
  readonly rounds: Array<SpeakTally> = []

  /** Returns the tally of another round. */
  anotherRound(): SpeakTally {
    const tally = new SpeakTally()
    this.rounds.push(tally)
    return tally
  }
}
