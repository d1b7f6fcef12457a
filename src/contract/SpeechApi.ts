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
import { ModelList, ProviderList, VoicePage } from "./Catalogue.ts"
import {
  BadRequest,
  Broken,
  Conflict,
  NotFound,
  PaymentRequired,
  TooLarge,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  Unprocessable
} from "./Errors.ts"
import { CreateTask, Deleted, DeleteTask, Task, TaskPage, TaskReference } from "./Task.ts"

/** The header that carries the key. */
export const keyHeader = "xi-api-key"

/** The key header as the interface's security. */
export class KeySecurity extends HttpApiMiddleware.Tag<KeySecurity>()("contract/KeySecurity", {
  failure: Unauthorized,
  provides: CurrentAccount,
  security: { key: HttpApiSecurity.apiKey({ in: "header", key: keyHeader }) }
}) {}

/** A page's number, from 1. */
export const PageNumber = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 1_000_000))

/** A page's size: 1 to 100, default 20. */
export const PageSize = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100))

/** The page size where a request names none. */
export const defaultPageSize = 20

const voiceId = HttpApiSchema.param("voice_id", Schema.String)
const taskId = HttpApiSchema.param("task_id", Schema.String)

const Paging = { page: Schema.optional(PageNumber), limit: Schema.optional(PageSize) }

class Speech extends HttpApiGroup.make("speech")
  .add(HttpApiEndpoint.get("health", "/v1/health-check").addSuccess(Health))
  .add(HttpApiEndpoint.get("credits", "/v1/credits").addSuccess(Credits))
  .add(HttpApiEndpoint.get("providers", "/v1/providers").addSuccess(ProviderList))
  .add(
    HttpApiEndpoint.get("models", "/v1/models")
      .setUrlParams(Schema.Struct({ provider: Schema.optional(Schema.String) }))
      .addSuccess(ModelList)
      .addError(Unprocessable)
  )
  .add(
    HttpApiEndpoint.get("voices", "/v1/voices")
      .setUrlParams(
        Schema.Struct({
          provider: Schema.optional(Schema.String),
          search: Schema.optional(Schema.String),
          ...Paging
        })
      )
      .addSuccess(VoicePage)
      .addError(Unprocessable)
  )
  .add(
    HttpApiEndpoint.post("create")`/v1/text-to-speech/${voiceId}`
      .setPayload(CreateTask)
      .addSuccess(TaskReference)
      .addError(PaymentRequired)
      .addError(NotFound)
      .addError(TooLarge)
      .addError(Unprocessable)
  )
  .add(HttpApiEndpoint.get("task")`/v1/task/${taskId}`.addSuccess(Task).addError(NotFound))
  .add(HttpApiEndpoint.get("tasks", "/v1/tasks").setUrlParams(Schema.Struct(Paging)).addSuccess(TaskPage))
  .add(
    HttpApiEndpoint.del("remove", "/v1/task/delete")
      .setPayload(DeleteTask)
      .addSuccess(Deleted)
      .addError(NotFound)
      .addError(Conflict)
      .addError(TooLarge)
  )
  .addError(BadRequest)
  .addError(TooManyRequests)
  .addError(Broken)
  .addError(Unavailable)
  .middleware(KeySecurity) {}

/** The aggregation service's interface. */
export class SpeechApi extends HttpApi.make("dubwright")
  .add(Speech)
  .annotate(OpenApi.Title, "dubwright speech service")
  .annotate(OpenApi.Version, "1")
  .annotate(
    OpenApi.Description,
    "Text to speech through several providers behind one key. Create a task, poll it until it is done, fetch its audio."
  ) {}
