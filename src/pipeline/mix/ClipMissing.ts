/** Errors: a clip or background was there when its job was placed, but not when the job was mixed. */
import { Schema } from "effect"
import { UtteranceKey } from "../../domain/values/Ids.ts"

/**
 * The clip's file was deleted or damaged during the run. The handler removes its remains, so that the next run
 * fetches it again.
 */
export class ClipMissing extends Schema.TaggedError<ClipMissing>()("ClipMissing", {
  utterance: UtteranceKey
}) {
  override get message(): string {
    return `clip ${this.utterance.slice(0, 12)} was deleted or damaged while its job was being mixed; run again to fetch it again`
  }
}

/** The background's file was deleted or damaged during the run. */
export class BackgroundMissing extends Schema.TaggedError<BackgroundMissing>()("BackgroundMissing", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `background: ${this.path} was changed or deleted while its job was being mixed: ${this.detail}; run again when it is complete`
  }
}
