/** The requests to a rewriter about a line that does not fit, and its replies. */
import { Schema } from "effect"

/** One request and its reply. The prompt is built from it (`script/rewritten/RewritePrompt.ts`). */
export const RewriteAttempt = Schema.Struct({
  /** The most characters that fit. */
  limit: Schema.Int,
  /** The neighbouring lines of the script; empty at its ends. */
  before: Schema.String,
  after: Schema.String,
  /** The reply, cut at a maximum length. */
  reply: Schema.String
})
export type RewriteAttempt = typeof RewriteAttempt.Type

/** The attempts to shorten one line, oldest first. */
export const RewriteAttempts = Schema.Struct({
  /** The words that the rewriter was given. */
  text: Schema.String,
  attempts: Schema.Array(RewriteAttempt)
})
export type RewriteAttempts = typeof RewriteAttempts.Type

/** The outcome for a line that was too long. */
export const LineRewriting = Schema.Struct({
  cue: Schema.Int,
  part: Schema.Int,
  ...RewriteAttempts.fields,
  /** The shorter text that fits, if a reply contained one. */
  proposal: Schema.optionalWith(Schema.String, { exact: true }),
  /** Whether the line says the proposal. `unseen`: because the manifest accepts proposals; nobody has checked it. */
  accepted: Schema.optionalWith(Schema.Literal("seen", "unseen"), { exact: true }),
  /** Why there is no proposal that fits. */
  why: Schema.optionalWith(Schema.String, { exact: true })
})
export type LineRewriting = typeof LineRewriting.Type
