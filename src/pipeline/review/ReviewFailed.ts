/** Why something asked for in review cannot be done. */
import { Schema } from "effect"

/** What was asked for cannot be done; in words for whoever asked. */
export class ReviewFailed extends Schema.TaggedError<ReviewFailed>()("ReviewFailed", {
  words: Schema.String
}) {
  override get message(): string {
    return this.words
  }
}
