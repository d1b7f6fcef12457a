/** The service's interface, once: its client and its handlers are both derived from this value. */
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
import { Credits, CurrentAccount, Health } from "./Account.ts"
import { ModelList, ProviderList, VoicePage } from "./ProviderCatalogue.ts"
import {
  BadRequest,
  InternalError,
  Conflict,
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

/** The key header as the interface's security. */
export class KeySecurity extends HttpApiMiddleware.Tag<KeySecurity>()("contract/KeySecurity", {
  failure: Unauthorized,
  provides: CurrentAccount,
  security: { key: HttpApiSecurity.apiKey({ in: "header", key: keyHeader }) }
}) {}

/** A parameter of a query, which stands in it once. */
const once = (description: string) =>
  Schema.String.annotations({ description, message: () => "is given more than once" })

const whole = (least: number, most: number, fallback: number, description: string) => {
  const message = () => `expected a whole number from ${least} to ${most}`
  // As it stands in a query: digits. The document shows the number that they write.
  const digits = once(description).annotations({
    jsonSchema: { type: "integer", minimum: least, maximum: most, default: fallback }
  })
  return Schema.compose(digits, Schema.NumberFromString.annotations({ message })).pipe(
    Schema.int({ message }),
    Schema.between(least, most, { message, description })
  )
}

/** A page's number, from 1. */
const PageNumber = whole(1, 1_000_000, 1, "The page's number, from 1; default 1.")

/** A page's size: 1 to 100, default 20. */
const PageSize = whole(1, 100, 20, "The page's size, 1 to 100; default 20.")

/** The page size where a request names none. */
export const defaultPageSize = 20

const voiceId = HttpApiSchema.param(
  "voice_id",
  Schema.String.annotations({ description: "A voice's id, from the list of voices." })
)
const taskId = HttpApiSchema.param(
  "task_id",
  Schema.String.annotations({ description: "A task's id, from its creation." })
)

const Paging = { page: Schema.optional(PageNumber), limit: Schema.optional(PageSize) }

const OfProvider = {
  provider: Schema.optional(once("A provider's id; all providers where absent."))
}

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
              "Words that must all be found in a voice's id, name, description, gender or languages. Case and accents do not count."
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
      .setPayload(CreateTask)
      .addSuccess(TaskReference)
      .addError(PaymentRequired)
      .addError(NotFound)
      .addError(TooLarge)
      .addError(Unprocessable)
      .annotate(OpenApi.Summary, "Create a speech task")
      .annotate(
        OpenApi.Description,
        "Takes a task on and reserves its credits, both or neither. Poll the task until it is done. Two equal requests are two tasks."
      )
  )
  .add(
    HttpApiEndpoint.get("task")`/v1/task/${taskId}`
      .addSuccess(Task)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Read a task")
      .annotate(
        OpenApi.Description,
        "Another account's task is answered like one that does not exist, and so is an id that is no UUID."
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
        "A waiting task's credits are given back. A task being spoken is not touched: 409, try again when it has ended. Deleting again what this account has deleted is no error."
      )
  )
  .addError(BadRequest)
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
      "Every request carries the header xi-api-key; /openapi.json, /docs, /metrics and the addresses of files need none. Bodies are JSON in UTF-8.",
      "Every refusal has the same shape: _tag and code say what is wrong, message says it in words, field names the part of the request at fault. 429 and 503 carry Retry-After in seconds. A path that does not exist is 404 path_unknown, a method that a path does not take 405 method_unknown.",
      "Keys do not expire; they are revoked by whoever runs the service, and take effect at once. There are no events: completion is seen by polling. Audio files support Range and HEAD.",
      "Fields may be added within /v1; none is removed or changes its meaning. Unknown fields of a request are passed over."
    ].join("\n\n")
  ) {}
