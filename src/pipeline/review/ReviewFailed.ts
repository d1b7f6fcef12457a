/** The error of a review request that cannot be carried out. */
import { Schema } from "effect"

/** Carries the message for the user. */
export class ReviewFailed extends Schema.TaggedError<ReviewFailed>()("ReviewFailed", {
  words: Schema.String
}) {
  override get message(): string {
    return this.words
  }
}

/** Returns the error with this message. */
export const reviewFailed = (words: string): ReviewFailed => new ReviewFailed({ words })
