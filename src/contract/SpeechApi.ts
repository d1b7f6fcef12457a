/** The service's HTTP interface. Both the client and the handlers are derived from this value. */
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi
} from "@effect/platform"
import { Schema } from "effect"
import { Credits, CurrentAccount, Health, WebhookSecret } from "./Account.ts"
import { ModelList, ProviderList, VoicePage } from "./ProviderCatalogue.ts"
import {
  BadRequest,
  InternalError,
  Conflict,
  Forbidden,
  MethodNotAllowed,
  NotFound,
  PaymentRequired,
  TooLarge,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  Unprocessable
} from "./Errors.ts"
import { CreateTask, Deleted, DeleteTask, Task, TaskPage, TaskReference, Transcript } from "./Task.ts"

/** The header that carries the key. */
export const keyHeader = "xi-api-key"

/**
 * Authentication by the key header, or by a bearer token.
 *
 * @effect-expect-leaking HttpServerRequest
 * @effect-expect-leaking ParsedSearchParams
 * @effect-expect-leaking RouteContext
 */
export class KeySecurity extends HttpApiMiddleware.Tag<KeySecurity>()("contract/KeySecurity", {
  failure: Schema.Union(Unauthorized, TooManyRequests),
  provides: CurrentAccount,
  security: {
    bearer: HttpApiSecurity.bearer,
    key: HttpApiSecurity.apiKey({ in: "header", key: keyHeader })
  }
}) {}

/** A query parameter that may be given only once. */
const once = (description: string) =>
  Schema.String.annotations({ description, message: () => "must be given only once" })

const whole = (least: number, most: number, fallback: number, description: string) => {
  const message = () => `expected a whole number from ${least} to ${most}`
  // A query holds digits, but the OpenAPI document shows a number.
  const digits = once(description).pipe(
    // Number reads more: 0x10, 1e1, spaces.
    Schema.pattern(/^\d{1,15}$/u, {
      message,
      jsonSchema: { type: "integer", minimum: least, maximum: most, default: fallback }
    })
  )
  return Schema.compose(digits, Schema.NumberFromString).pipe(
    Schema.between(least, most, { message, description })
  )
}

/** A page's number, from 1. */
const PageNumber = whole(1, 1_000_000, 1, "The page's number, from 1; default 1.")

/** A page's size: 1 to 100, default 20. */
const PageSize = whole(1, 100, 20, "The page's size, 1 to 100; default 20.")

/** The default page size. */
export const defaultPageSize = 20

const voiceId = HttpApiSchema.param(
  "voice_id",
  Schema.String.annotations({ description: "A voice's id, from the voice list." })
)
const taskId = HttpApiSchema.param(
  "task_id",
  Schema.String.annotations({ description: "A task's id, from its create." })
)

const Paging = { page: Schema.optional(PageNumber), limit: Schema.optional(PageSize) }

const OfProvider = {
  provider: Schema.optional(once("A provider's id. Default: all providers."))
}

/** The header that names a create, so that it can be sent again safely. */
export const idempotencyHeader = "idempotency-key"

/** Seconds for which the service keeps an idempotency key after its last use: 7 days. */
export const idempotencyRetention = 7 * 86_400

const IdempotencyKey = once(
  "A name for this create, unique among the account's creates: 1 to 255 printable ASCII characters. For 7 days after its last use, another create with this key and the same body returns the same task. A create with another body is rejected with 422 idempotency_key_reused."
).pipe(
  Schema.pattern(/^[\x21-\x7e]{1,255}$/u, {
    message: () => "expected 1 to 255 printable ASCII characters without spaces"
  })
)

/** The header that asks a read to wait for the task's end. */
const preferHeader = "prefer"

const Prefer = once("wait=SECONDS: wait for the task's end, at most 50 seconds.")

/** The path of the account's events. */
export const accountEventsPath = "/v1/tasks/events"

const Events = HttpApiSchema.Text({ contentType: "text/event-stream" })

class Speech extends HttpApiGroup.make("speech")
  .add(
    HttpApiEndpoint.get("health", "/v1/health-check")
      .addSuccess(Health)
      .annotate(OpenApi.Summary, "The service's health")
  )
  .add(
    HttpApiEndpoint.get("credits", "/v1/credits")
      .addSuccess(Credits)
      .annotate(OpenApi.Summary, "The account's credits")
  )
  .add(
    HttpApiEndpoint.get("providers", "/v1/providers")
      .addSuccess(ProviderList)
      .annotate(OpenApi.Summary, "Providers and their features")
  )
  .add(
    HttpApiEndpoint.get("models", "/v1/models")
      .setUrlParams(Schema.Struct(OfProvider))
      .addSuccess(ModelList)
      .addError(Unprocessable)
      .annotate(OpenApi.Summary, "Models")
  )
  .add(
    HttpApiEndpoint.get("voices", "/v1/voices")
      .setUrlParams(
        Schema.Struct({
          ...OfProvider,
          search: Schema.optional(
            once(
              "Words that a voice's id, name, description, gender or languages must all contain. Case and accents are ignored."
            )
          ),
          ...Paging
        })
      )
      .addSuccess(VoicePage)
      .addError(Unprocessable)
      .annotate(OpenApi.Summary, "Voices")
  )
  .add(
    HttpApiEndpoint.post("create")`/v1/text-to-speech/${voiceId}`
      .setHeaders(Schema.Struct({ [idempotencyHeader]: Schema.optional(IdempotencyKey) }))
      .setPayload(CreateTask)
      .addSuccess(TaskReference)
      .addError(PaymentRequired)
      .addError(NotFound)
      .addError(TooLarge)
      .addError(Unprocessable)
      .annotate(OpenApi.Summary, "Create a speech task")
      .annotate(
        OpenApi.Description,
        "Creates a task and reserves its credits, atomically. Poll the task until it is done. Two equal requests create two tasks, unless both have the same Idempotency-Key: then both return the same task, which is charged once. A repeated response has the header Idempotency-Replayed: true."
      )
  )
  .add(
    HttpApiEndpoint.get("task")`/v1/task/${taskId}`
      .setHeaders(Schema.Struct({ [preferHeader]: Schema.optional(Prefer) }))
      .addSuccess(Task)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Read a task")
      .annotate(
        OpenApi.Description,
        "Returns 404 for another account's task, and for an id that is not a UUID. With Prefer: wait=30, the response comes when the task has ended, or after 30 seconds, and has the header Preference-Applied."
      )
  )
  .add(
    HttpApiEndpoint.get("taskEvents")`/v1/task/${taskId}/events`
      .addSuccess(Events)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Follow a task")
      .annotate(
        OpenApi.Description,
        "Server-Sent Events named task: the task now, and after each change of its status. Ends when the task has ended. The data is a Task in JSON."
      )
  )
  .add(
    HttpApiEndpoint.get("accountEvents", accountEventsPath)
      .addSuccess(Events)
      .annotate(OpenApi.Summary, "Follow the account's tasks")
      .annotate(
        OpenApi.Description,
        "Server-Sent Events named task, after each change of a task. The data is a Task in JSON. Earlier changes are not sent: after a reconnection, read your unfinished tasks. If 1,000 events wait for a slow client, the stream ends with an event named behind."
      )
  )
  .add(
    HttpApiEndpoint.get("webhookSecret", "/v1/webhooks/secret")
      .addSuccess(WebhookSecret)
      .annotate(OpenApi.Summary, "The secret of the account's webhooks")
      .annotate(
        OpenApi.Description,
        "If a create sets webhook_url, the service posts the task there when it is done or has failed. The headers webhook-id, webhook-timestamp and webhook-signature follow the Standard Webhooks specification. Needs a key that may create."
      )
  )
  .add(
    HttpApiEndpoint.get("tasks", "/v1/tasks")
      .setUrlParams(Schema.Struct(Paging))
      .addSuccess(TaskPage)
      .annotate(OpenApi.Summary, "The account's tasks, newest first")
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/task/delete")
      .setPayload(DeleteTask)
      .addSuccess(Deleted)
      .addError(NotFound)
      .addError(Conflict)
      .addError(TooLarge)
      .annotate(OpenApi.Summary, "Delete a task and its files")
      .annotate(
        OpenApi.Description,
        "Deleting a queued task releases its credits. A task that is being spoken is not deleted: the response is 409; retry when it has ended. Deleting a deleted task again succeeds."
      )
  )
  .addError(BadRequest)
  .addError(Forbidden)
  .addError(TooManyRequests)
  .addError(InternalError)
  .addError(Unavailable)
  .middleware(KeySecurity) {}

/** The aggregation service's interface. */
export class SpeechApi extends HttpApi.make("dubwright")
  .add(Speech)
  .annotate(HttpApi.AdditionalSchemas, [Transcript, MethodNotAllowed])
  .annotate(OpenApi.Title, "dubwright speech service")
  .annotate(OpenApi.Version, "1")
  .annotate(
    OpenApi.Description,
    [
      "Text to speech through several providers behind one key. Create a task, poll it until it is done, fetch its audio.",
      "Every request needs the header xi-api-key, or Authorization: Bearer with the same key, except /openapi.json, /docs, /metrics and file URLs. Bodies are JSON in UTF-8.",
      "Every error response has the same shape. _tag and code identify the error, message explains it, and field names the faulty part of the request. 429 and 503 have a Retry-After header in seconds. An unknown path returns 404 path_unknown; an unsupported method returns 405 method_unknown.",
      "The service's operator can limit a key: its scope (read or create), expiry date, request rate, and credits per day. A revoked key stops working at once. Responses to limited requests have the fields RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-10. The account has one policy, and the key another. q is the quota for w seconds, and r is what remains of it. t is the number of seconds until the whole quota is available again.",
      "To wait for a task, read it with Prefer: wait, follow its events, or poll it. Audio files support Range and HEAD.",
      "Fields may be added within /v1, but none is removed or changes its meaning. Unknown request fields are ignored."
    ].join("\n\n")
  ) {}
