/** The account behind a key, its credits, and the service's health. */
import { Context, Schema } from "effect"

/** The account whose key a request carries, and the id of that key. */
export class CurrentAccount extends Context.Tag("contract/CurrentAccount")<
  CurrentAccount,
  { readonly id: number; readonly name: string; readonly key: number }
>() {}

/** GET /v1/credits. Whole credits; a task costs its characters times its model's price, rounded up. */
export const Credits = Schema.Struct({
  /** What can still be spent; absent where the account has no limit. */
  credits: Schema.optional(
    Schema.Number.annotations({
      description: "What can still be spent; absent where the account has no limit."
    })
  ),
  unlimited: Schema.Boolean.annotations({ description: "Whether the account has no limit." }),
  /** Spent on finished tasks so far. */
  used: Schema.Number.annotations({ description: "Spent on finished tasks so far." }),
  /** Held for tasks under way; already taken off `credits`. */
  reserved: Schema.Number.annotations({
    description: "Held for tasks under way; already taken off `credits`, and given back if they fail."
  })
}).annotations({ identifier: "Credits", description: "An account's credits, in whole credits." })
export type Credits = typeof Credits.Type

/** GET /v1/health-check. `degraded`: some provider or the disk is in trouble; `draining`: no new tasks. */
export const Health = Schema.Struct({
  status: Schema.Literal("ok", "degraded", "draining").annotations({
    description:
      "ok; degraded, when an engine or the disk is in trouble; draining, when the service is stopping and takes no new tasks."
  }),
  version: Schema.String.annotations({ description: "The service's version." }),
  /** Whether each provider's engine is ready, with the reason where it is not. */
  providers: Schema.Array(
    Schema.Struct({
      provider: Schema.String.annotations({ description: "The provider's id." }),
      ready: Schema.Boolean.annotations({
        description: "Whether its engine answered within the last seconds."
      }),
      reason: Schema.optional(Schema.String.annotations({ description: "Why it is not ready." }))
    })
  ),
  disk: Schema.Struct({
    free_bytes: Schema.Number.annotations({ description: "Free bytes where audio is kept." }),
    writable: Schema.Boolean.annotations({ description: "Whether a file could be written there just now." })
  }),
  queue: Schema.Struct({
    queued: Schema.Int.annotations({ description: "Tasks that wait, of all accounts." }),
    processing: Schema.Int.annotations({ description: "Tasks being spoken." }),
    limit: Schema.Int.annotations({
      description:
        "How many may wait before new ones are refused with 429. Accounts that have tasks waiting share it evenly."
    })
  })
}).annotations({ identifier: "Health", description: "How the service is." })
export type Health = typeof Health.Type
