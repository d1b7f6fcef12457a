/** The account behind a key, its credits, and the service's health. */
import { Context, Schema } from "effect"

/** The account whose key a request carries. */
export class CurrentAccount extends Context.Tag("contract/CurrentAccount")<
  CurrentAccount,
  { readonly id: number; readonly name: string }
>() {}

/** GET /v1/credits. */
export const Credits = Schema.Struct({
  /** What can still be spent; absent where the account has no limit. */
  credits: Schema.optional(Schema.Number),
  unlimited: Schema.Boolean,
  /** Spent on finished tasks so far. */
  used: Schema.Number,
  /** Held for tasks under way; already taken off `credits`. */
  reserved: Schema.Number
}).annotations({ identifier: "Credits" })
export type Credits = typeof Credits.Type

/** GET /v1/health-check. `degraded`: some provider or the disk is in trouble; `draining`: no new tasks. */
export const Health = Schema.Struct({
  status: Schema.Literal("ok", "degraded", "draining"),
  version: Schema.String,
  /** Whether each provider's engine is ready, with the reason where it is not. */
  providers: Schema.Array(
    Schema.Struct({ provider: Schema.String, ready: Schema.Boolean, reason: Schema.optional(Schema.String) })
  ),
  disk: Schema.Struct({ free_bytes: Schema.Number, writable: Schema.Boolean }),
  queue: Schema.Struct({ queued: Schema.Int, processing: Schema.Int, limit: Schema.Int })
}).annotations({ identifier: "Health" })
export type Health = typeof Health.Type
