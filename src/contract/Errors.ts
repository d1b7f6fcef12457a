/**
 * Error responses. All have one shape: `_tag` is the kind, which matches the status, and `code` is the exact reason.
 * `message` explains it with the found and the expected value; `field` names the part of the request at fault.
 */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"

/** The HTTP status of each kind of error. */
export const refusalStatus = {
  BadRequest: 400,
  Unauthorized: 401,
  PaymentRequired: 402,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  TooLarge: 413,
  Unprocessable: 422,
  TooManyRequests: 429,
  Broken: 500,
  Unavailable: 503
}

const answer = <A>(kind: keyof typeof refusalStatus, description: string): Schema.Annotations.Schema<A> =>
  HttpApiSchema.annotations<A>({ status: refusalStatus[kind], description })

const said = { message: Schema.String, field: Schema.optional(Schema.String) }

/** 400: the request is invalid. It is not JSON, lacks or mistypes a field, or has a parameter out of range. */
export class BadRequest extends Schema.TaggedError<BadRequest>()(
  "BadRequest",
  {
    code: Schema.Literal("body_unreadable", "field_invalid", "parameter_invalid", "request_invalid"),
    ...said
  },
  answer("BadRequest", "The request is invalid.")
) {}

/** 401: the key is missing, unknown, revoked or expired. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()(
  "Unauthorized",
  { code: Schema.Literal("key_missing", "key_unknown", "key_expired"), ...said },
  answer("Unauthorized", "The xi-api-key header has no valid key.")
) {}

/** 402: the account has too few credits for this task, or the key's cap for the day or the storage is used up. */
export class PaymentRequired extends Schema.TaggedError<PaymentRequired>()(
  "PaymentRequired",
  { code: Schema.Literal("credits_short", "daily_cap", "storage_full"), ...said },
  answer(
    "PaymentRequired",
    "Too few credits for this task, or the key's cap for the day or the account's storage is used up."
  )
) {}

/** 403: the key is valid, but lacks the scope for this request. */
export class Forbidden extends Schema.TaggedError<Forbidden>()(
  "Forbidden",
  { code: Schema.Literal("scope_missing"), ...said },
  answer("Forbidden", "The key lacks the scope for this request.")
) {}

/** 404: no such voice, task or path. Another account's task looks like one that does not exist. */
export class NotFound extends Schema.TaggedError<NotFound>()(
  "NotFound",
  {
    code: Schema.Literal("voice_unknown", "model_unknown", "task_unknown", "path_unknown", "file_unknown"),
    ...said
  },
  answer("NotFound", "No such voice, task, file or path.")
) {}

/** 405: the path exists, but does not support this method. The Allow header lists the supported ones. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()(
  "MethodNotAllowed",
  { code: Schema.Literal("method_unknown"), ...said },
  answer("MethodNotAllowed", "The path does not support this method.")
) {}

/** 409: the task is being spoken and cannot be deleted yet. */
export class Conflict extends Schema.TaggedError<Conflict>()(
  "Conflict",
  { code: Schema.Literal("task_under_way"), ...said },
  answer("Conflict", "The task is being spoken.")
) {}

/** 413: the text exceeds the provider's character limit, or the body exceeds the service's byte limit. */
export class TooLarge extends Schema.TaggedError<TooLarge>()(
  "TooLarge",
  { code: Schema.Literal("text_too_long", "body_too_large"), ...said, max: Schema.optional(Schema.Int) },
  answer("TooLarge", "The text or the body is too long.")
) {}

/** 422: the request is valid, but the provider does not support it, or its Idempotency-Key has another body. */
export class Unprocessable extends Schema.TaggedError<Unprocessable>()(
  "Unprocessable",
  {
    code: Schema.Literal(
      "text_too_short",
      "text_empty",
      "srt_malformed",
      "provider_unknown",
      "model_unknown",
      "voice_of_other_provider",
      "control_unsupported",
      "control_out_of_range",
      "idempotency_key_reused",
      "webhook_refused"
    ),
    ...said
  },
  answer(
    "Unprocessable",
    "The request is valid, but the provider does not support it, or its Idempotency-Key belongs to another body."
  )
) {}

/**
 * 429: too many requests, open streams or wrong keys, or a full queue. `retry_after` and the Retry-After header give
 * the seconds to wait.
 */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()(
  "TooManyRequests",
  {
    code: Schema.Literal("rate_limited", "queue_full", "streams_full", "key_guessing"),
    ...said,
    retry_after: Schema.Positive
  },
  answer("TooManyRequests", "Too many requests, or open streams; retry after the seconds in Retry-After.")
) {}

/** 500: an internal error of the service. */
export class InternalError extends Schema.TaggedError<InternalError>()(
  "Broken",
  { code: Schema.Literal("internal"), ...said },
  answer("Broken", "Internal error of the service.")
) {}

/**
 * 503: the service is draining, no engine is ready, the disk is full, or another program has locked the database.
 * `retry_after` and the Retry-After header give the seconds to wait.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()(
  "Unavailable",
  {
    code: Schema.Literal("draining", "engine_unavailable", "disk_full", "database_busy"),
    ...said,
    retry_after: Schema.Positive
  },
  answer("Unavailable", "Temporarily unavailable; retry after the seconds in Retry-After.")
) {}

/** Any error response of an endpoint. */
export const AnyRefusal = Schema.Union(
  BadRequest,
  Unauthorized,
  PaymentRequired,
  Forbidden,
  NotFound,
  Conflict,
  TooLarge,
  Unprocessable,
  TooManyRequests,
  InternalError,
  Unavailable
)
