/** Converts every failure of a request to the error response documented in `contract/Errors.ts`. */
import { HttpApiError, HttpServerError, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { SqlError } from "@effect/sql/SqlError"
import Sqlite from "better-sqlite3"
import { Cause, Effect, HashSet, Option, Predicate, Schema } from "effect"
import {
  AnyRefusal,
  BadRequest,
  InternalError,
  MethodNotAllowed,
  NotFound,
  refusalStatus,
  Unavailable
} from "../../contract/Errors.ts"
import { idempotencyHeader, keyHeader } from "../../contract/SpeechApi.ts"
import { diskFull } from "../tasks/TaskAdmission.ts"
import { isBusy } from "../storage/WriteTransaction.ts"
import { methodsOf, pathIn } from "./RoutePatterns.ts"

/** Every refusal of the contract: those of the endpoints, and 405 Method Not Allowed. */
export const ErrorResponse = Schema.Union(...AnyRefusal.members, MethodNotAllowed)
export type ErrorResponse = typeof ErrorResponse.Type

/** Builds the response for a refusal, in the shape of the interface that the request uses. */
const respondTo =
  ({ url, headers }: Pick<HttpServerRequest.HttpServerRequest, "url" | "headers">) =>
  (refusal: ErrorResponse, allow?: string): HttpServerResponse.HttpServerResponse =>
    HttpServerResponse.unsafeJson(isOpenAi(pathIn(url), headers) ? openAiError(refusal) : encode(refusal), {
      status: refusalStatus[refusal._tag],
      headers: {
        ...("retry_after" in refusal ? { "retry-after": String(Math.ceil(refusal.retry_after)) } : {}),
        ...(refusal._tag === "Unauthorized" ? { "www-authenticate": "xi-api-key" } : {}),
        ...(allow === undefined ? {} : { allow }),
        "cache-control": "no-store"
      }
    })

/** Whether a request is of OpenAI's interface, which shares one path with the service's own. */
const isOpenAi = (path: string, headers: Readonly<Record<string, string | undefined>>): boolean =>
  path.startsWith("/v1/audio/") ||
  path.startsWith("/v1/models/") ||
  (path === "/v1/models" && headers[keyHeader] === undefined && headers["authorization"] !== undefined)

/** The names that OpenAI's interface has for the fields of a create; its own fields keep theirs. */
const openAiFields: Readonly<Record<string, string>> = { text: "input", voice_id: "voice", model_id: "model" }

/** Returns an error in OpenAI's shape: https://platform.openai.com/docs/guides/error-codes. */
const openAiError = (refusal: ErrorResponse) => {
  const status = refusalStatus[refusal._tag]
  const [field = "", ...part] = refusal.field?.split(".") ?? []
  const param = [openAiFields[field] ?? field, ...part].join(".")
  const isPart = [keyHeader, idempotencyHeader, "body"].includes(field)
  return {
    error: {
      message:
        param !== field && refusal.message.startsWith(`${field}:`)
          ? param + refusal.message.slice(field.length)
          : refusal.message,
      type: status === 402 ? "insufficient_quota" : status >= 500 ? "server_error" : "invalid_request_error",
      param: param === "" || isPart ? null : param,
      code: status === 401 ? "invalid_api_key" : status === 402 ? "insufficient_quota" : refusal.code
    }
  }
}

/** Returns the response to a failed request. Internal errors are logged without the request's content. */
export const errorResponseFor = (cause: Cause.Cause<unknown>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => failed(cause, respondTo(request)))

const failed = (cause: Cause.Cause<unknown>, respond: ReturnType<typeof respondTo>) => {
  const error = Option.getOrUndefined(Option.orElse(Cause.failureOption(cause), () => Cause.dieOption(cause)))
  if (isRefusal(error)) return Effect.succeed(respond(error))
  if (error instanceof HttpApiError.HttpApiDecodeError) return Effect.succeed(respond(undecoded(error)))
  if (isRouteNotFound(error)) {
    const path = pathIn(error.request.url)
    const methods = methodsOf(path)
    if (methods.length === 0) return Effect.succeed(respond(pathUnknown))
    const allow = methods.join(", ")
    const message = `this path accepts ${allow}, not ${error.request.method}`
    return Effect.succeed(respond(new MethodNotAllowed({ code: "method_unknown", message }), allow))
  }
  if (isFull(error))
    return Effect.as(Effect.logWarning("request failed: no disk space for the database"), respond(diskFull))
  if (isBusy(error))
    return Effect.as(
      Effect.logWarning("request failed: another program has locked the database"),
      respond(databaseBusy)
    )
  if (HashSet.has(Cause.interruptors(cause), HttpServerError.clientAbortFiberId)) {
    // The client has disconnected: a body would never be sent and would keep the request's resources open.
    return Effect.succeed(HttpServerResponse.empty({ status: 499 }))
  }
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(respond(draining))
  return Effect.as(
    Effect.logError("request failed with an internal error", cause),
    respond(new InternalError({ code: "internal", message: "internal error; it has been logged" }))
  )
}

const pathUnknown = new NotFound({
  code: "path_unknown",
  message: "unknown path; /docs lists every endpoint"
})

const databaseBusy = new Unavailable({
  code: "database_busy",
  message: "another program has locked the service's database; try again",
  retry_after: 5
})

const draining = new Unavailable({
  code: "draining",
  message: "the service is shutting down; try again",
  retry_after: 5
})

/** Formats a problem with a part of a request as `message` and `field`. */
export const describeProblem = (
  path: ReadonlyArray<PropertyKey>,
  message: string
): { readonly message: string; readonly field?: string } => {
  const field = path.map(String).join(".")
  return field === "" ? { message } : { message: `${field}: ${message}`, field }
}

const undecoded = (error: HttpApiError.HttpApiDecodeError): BadRequest => {
  const [issue] = error.issues
  return new BadRequest({
    code: "parameter_invalid",
    ...describeProblem(
      issue?.path ?? [],
      issue?.message ?? "the request is not in the expected form; compare it with /docs"
    )
  })
}

const isRefusal = Schema.is(ErrorResponse)
const encode = Schema.encodeSync(ErrorResponse)

/** Whether the database ran out of disk space. The cached disk check may not have noticed yet. */
const isFull = (error: unknown): boolean =>
  error instanceof SqlError && error.cause instanceof Sqlite.SqliteError && error.cause.code === "SQLITE_FULL"

const isRouteNotFound = (error: unknown): error is HttpServerError.RouteNotFound =>
  Predicate.isTagged(error, "RouteNotFound")
