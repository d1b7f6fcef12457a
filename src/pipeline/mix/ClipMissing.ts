/** A clip that was there when the job was placed, and is not when it is mixed. */
import { Schema } from "effect"
import { UtteranceKey } from "../../domain/values/Ids.ts"

/**
 * The clip's file was deleted or damaged meanwhile: whoever hears of it removes what is left of it, and the next run
 * fetches it again.
 */
export class ClipMissing extends Schema.TaggedError<ClipMissing>()("ClipMissing", {
  utterance: UtteranceKey
}) {
  override get message(): string {
    return `clip ${this.utterance.slice(0, 12)} was deleted or damaged while its job was mixed: run again, it is fetched anew`
  }
}
