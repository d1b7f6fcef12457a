/** Errors in OpenAI's shape: https://platform.openai.com/docs/guides/error-codes. */
import { HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Option, Schema } from "effect"
import { refusalStatus, Unauthorized } from "../../contract/Errors.ts"
import { ErrorResponse, errorResponseFor } from "../http/ErrorResponse.ts"

const isRefusal = Schema.is(ErrorResponse)

/** Returns the response to a failed request: a refusal in OpenAI's shape. Other failures are answered as usual. */
export const openAiErrorFor = (
  cause: Cause.Cause<unknown>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  if (!isRefusal(error)) return errorResponseFor(cause)
  const status = refusalStatus[error._tag]
  const isKey = error instanceof Unauthorized
  return Effect.succeed(
    HttpServerResponse.unsafeJson(
      {
        error: {
          message: error.message,
          type:
            status === 402 ? "insufficient_quota" : status >= 500 ? "server_error" : "invalid_request_error",
          param: error.field ?? null,
          code: isKey ? "invalid_api_key" : status === 402 ? "insufficient_quota" : error.code
        }
      },
      {
        status,
        headers: {
          "cache-control": "no-store",
          ...("retry_after" in error ? { "retry-after": String(Math.ceil(error.retry_after)) } : {})
        }
      }
    )
  )
}
