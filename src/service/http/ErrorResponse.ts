/** Converts every failure of a request to the error response documented in `contract/Errors.ts`. */
import { HttpApiError, HttpServerError, HttpServerResponse } from "@effect/platform"
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
import { diskFull } from "../tasks/TaskAdmission.ts"
import { isBusy } from "../storage/WriteTransaction.ts"
import { methodsOf, pathIn } from "./RoutePatterns.ts"

/** Every refusal of the contract: those of the endpoints, and 405 Method Not Allowed. */
export const ErrorResponse = Schema.Union(...AnyRefusal.members, MethodNotAllowed)
export type ErrorResponse = typeof ErrorResponse.Type

/** Builds the response for a refusal. */
const respond = (refusal: ErrorResponse, allow?: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(encode(refusal), {
    status: refusalStatus[refusal._tag],
    headers: {
      ...("retry_after" in refusal ? { "retry-after": String(Math.ceil(refusal.retry_after)) } : {}),
      ...(refusal._tag === "Unauthorized" ? { "www-authenticate": "xi-api-key" } : {}),
      ...(allow === undefined ? {} : { allow }),
      "cache-control": "no-store"
    }
  })

/** Returns the response to a failed request. Internal errors are logged without the request's content. */
export const errorResponseFor = (
  cause: Cause.Cause<unknown>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const error = Option.getOrUndefined(Option.orElse(Cause.failureOption(cause), () => Cause.dieOption(cause)))
  if (isRefusal(error)) return Effect.succeed(respond(error))
  if (error instanceof HttpApiError.HttpApiDecodeError) return Effect.succeed(respond(undecoded(error)))
  if (isRouteNotFound(error)) {
    const path = pathIn(error.request.url)
    const methods = methodsOf(path)
    return Effect.succeed(
      methods.length === 0
        ? respond(
            new NotFound({
              code: "path_unknown",
              message: "unknown path; /docs lists every endpoint"
            })
          )
        : respond(
            new MethodNotAllowed({
              code: "method_unknown",
              message: `this path accepts ${methods.join(", ")}, not ${error.request.method}`
            }),
            methods.join(", ")
          )
    )
  }
  if (isFull(error)) {
    return Effect.as(Effect.logWarning("request failed: no disk space for the database"), respond(diskFull))
  }
  if (isBusy(error)) {
    return Effect.as(
      Effect.logWarning("request failed: another program has locked the database"),
      respond(
        new Unavailable({
          code: "database_busy",
          message: "another program has locked the service's database; try again",
          retry_after: 5
        })
      )
    )
  }
  if (HashSet.has(Cause.interruptors(cause), HttpServerError.clientAbortFiberId)) {
    // The client has disconnected: a body would never be sent and would keep the request's resources open.
    return Effect.succeed(HttpServerResponse.empty({ status: 499 }))
  }
  if (Cause.isInterruptedOnly(cause)) {
    return Effect.succeed(
      respond(
        new Unavailable({
          code: "draining",
          message: "the service is shutting down; try again",
          retry_after: 5
        })
      )
    )
  }
  return Effect.as(
    Effect.logError("request failed with an internal error", cause),
    respond(new InternalError({ code: "internal", message: "internal error; it has been logged" }))
  )
}

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
