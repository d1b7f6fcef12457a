/** The account behind a key, its credits, and the service's health. */
import { Context, Schema } from "effect"

/** The scopes of keys: `read` allows GET requests, `create` allows creating and deleting tasks. */
export const keyScopes = ["read", "create"] as const
export type KeyScope = (typeof keyScopes)[number]

/** The account of a request's key, the id of that key, and its scopes and limit. */
export class CurrentAccount extends Context.Tag("contract/CurrentAccount")<
  CurrentAccount,
  {
    readonly id: number
    readonly name: string
    readonly key: number
    readonly scopes: ReadonlyArray<KeyScope>
    readonly requestsPerSecond: number | undefined
  }
>() {}

/** GET /v1/credits. Whole credits: a task costs its characters times its model's price, rounded up. */
export const Credits = Schema.Struct({
  /** Remaining credits; absent if the account has no limit. */
  credits: Schema.optional(
    Schema.Number.annotations({
      description: "Remaining credits; absent if the account has no limit."
    })
  ),
  unlimited: Schema.Boolean.annotations({ description: "Whether the account has no limit." }),
  /** Credits spent on finished tasks. */
  used: Schema.Number.annotations({ description: "Credits spent on finished tasks." }),
  /** Credits reserved for unfinished tasks, already subtracted from `credits`. */
  reserved: Schema.Number.annotations({
    description:
      "Credits reserved for unfinished tasks: already subtracted from `credits`, and released if they fail."
  }),
  /** The key's cap for each day, if it has one. */
  daily: Schema.optional(
    Schema.Struct({
      limit: Schema.Number.annotations({
        description: "Credits that this key's tasks may cost in a day (UTC)."
      }),
      used: Schema.Number.annotations({ description: "Credits of the tasks that it created today." }),
      resets_at: Schema.String.annotations({ description: "When the next day begins; ISO 8601 in UTC." })
    }).annotations({ description: "Absent if this key has no cap." })
  )
}).annotations({ identifier: "Credits", description: "An account's credits, in whole credits." })
export type Credits = typeof Credits.Type

/** GET /v1/webhooks/secret. */
export const WebhookSecret = Schema.Struct({
  secret: Schema.String.annotations({
    description: "The secret that signs the account's webhooks: whsec_ and 32 bytes in base64."
  })
}).annotations({ identifier: "WebhookSecret" })

/** GET /v1/health-check. `degraded`: an engine or the disk has a problem; `draining`: no new tasks are accepted. */
export const Health = Schema.Struct({
  status: Schema.Literal("ok", "degraded", "draining").annotations({
    description:
      "ok; degraded: an engine or the disk has a problem; draining: the service is stopping and accepts no new tasks."
  }),
  version: Schema.String.annotations({ description: "The service's version." }),
  /** Whether each provider's engine is ready, and if not, why. */
  providers: Schema.Array(
    Schema.Struct({
      provider: Schema.String.annotations({ description: "The provider's id." }),
      ready: Schema.Boolean.annotations({
        description: "Whether its engine responded within the last few seconds."
      }),
      reason: Schema.optional(Schema.String.annotations({ description: "Why it is not ready." }))
    })
  ),
  disk: Schema.Struct({
    free_bytes: Schema.Number.annotations({ description: "Free bytes on the disk that stores audio." }),
    writable: Schema.Boolean.annotations({ description: "Whether a test write to that disk succeeded." })
  }),
  idempotency: Schema.optional(
    Schema.Struct({
      retention_seconds: Schema.Int.annotations({
        description: "How long an Idempotency-Key is kept after its last use."
      })
    }).annotations({ description: "Present if creates honour the header Idempotency-Key." })
  ),
  events: Schema.optional(
    Schema.Struct({
      path: Schema.String.annotations({ description: "The path of the account's events." })
    }).annotations({ description: "Present if the service offers events of tasks." })
  ),
  queue: Schema.Struct({
    queued: Schema.Int.annotations({ description: "Queued tasks of all accounts." }),
    processing: Schema.Int.annotations({ description: "Tasks that are being spoken." }),
    limit: Schema.Int.annotations({
      description:
        "How many tasks may be queued before new ones are rejected with 429. Accounts with queued tasks share it evenly."
    })
  })
}).annotations({ identifier: "Health", description: "The service's health." })
export type Health = typeof Health.Type
