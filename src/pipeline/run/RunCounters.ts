/** Counts a run's progress events, so that an interrupted run can still write run.json. */
import type { JobId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { JobResult } from "../report/JobResult.ts"
import type { ProgressEvent } from "../Progress.ts"

export class RunCounters {
  /** Results of jobs that have ended. */
  readonly ends = new Map<JobId, JobResult>()
  readonly warnings = new Set<string>()
  /** The account's credits at the start, if known. */
  credits: number | undefined
  created = 0
  adopted = 0
  resumed = 0
  reused = 0
  retried = 0
  failed = 0
  characters = 0
  /** Utterances whose tasks this run has created or adopted. */
  private readonly own = new Set<UtteranceKey>()

  hear(event: ProgressEvent): void {
    switch (event._tag) {
      case "Planned":
        this.reused = Math.max(this.reused, event.reused)
        return
      case "Submitted":
        this.created++
        this.characters += event.characters
        this.own.add(event.utterance)
        return
      case "Adopted":
        this.adopted++
        this.own.add(event.utterance)
        return
      case "Spoken":
        if (!this.own.has(event.utterance)) this.resumed++
        return
      case "Retrying":
        this.retried++
        return
      case "Failed":
        this.failed++
        return
      case "Warning":
        this.warnings.add(event.message)
        return
      case "ProviderPaced":
      case "Stopping":
      case "Placing":
      case "Delivering":
      case "Muxing":
      case "Delivered":
      case "Unchanged":
      case "JobFailed":
      case "JobUnfinished":
        return
    }
  }
}
