/** What a run has come to so far, by what it tells: all that is known of one that does not come to its end. */
import type { JobId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { JobResult } from "../report/JobResult.ts"
import type { ProgressEvent } from "../Progress.ts"

export class RunCounters {
  /** Jobs that have ended. */
  readonly ends = new Map<JobId, JobResult>()
  readonly warnings = new Set<string>()
  /** The account's credits at the beginning, where they are known. */
  credits: number | undefined
  created = 0
  adopted = 0
  resumed = 0
  reused = 0
  retried = 0
  failed = 0
  characters = 0
  /** Utterances whose tasks this run has created or found. */
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
      case "LanePaced":
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
