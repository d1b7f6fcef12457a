/**
 * Normalizes a service's refusals to the contract's shape: by status first, then by the message if a status has several
 * meanings.
 */
import { flow, Option, type Redacted, Schema } from "effect"
import { AnyRefusal, refusalStatus } from "../../contract/Errors.ts"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { isOfTask, hasMoreDetail, wordsIn } from "./ResponseNormalization.ts"
import { type Fields, fieldsOf, finiteNumber, textOf } from "./ResponseFields.ts"
import { presentable } from "../transport/ServiceAddress.ts"
import { codesIn, isWantOfCredits } from "./CreditShortage.ts"
import { decodeForeign } from "../../settings/ForeignValue.ts"
import type { HttpAnswer } from "../transport/HttpTransport.ts"

/** Seconds to wait if the service names none: the contract requires a number. */
export const defaultRetryAfter = 0.001

/** Maximum wait accepted from a service, in seconds. */
const longestWait = 3_600

/** A refusal in the contract's shape. */
export interface NormalizedRefusal {
  readonly status: number
  readonly fields: Fields
}

/** Statuses of the contract's endpoints. None of them returns 405, which is about a path's methods. */
const { MethodNotAllowed: _, ...endpointStatus } = refusalStatus
const ownStatus: Readonly<Record<string, number>> = endpointStatus

/** Returns a refusal in the contract's shape, without fields of other names. */
const contractRefusal = flow(decodeForeign(AnyRefusal), Option.map(Schema.encodeSync(AnyRefusal)))

/**
 * Returns the status of an error in a response with a success status, or undefined if there is none. Some services
 * report errors only in the body.
 *
 * The body's own code decides, else its message. Otherwise, or if it is uncertain whether a task was made, it is a
 * service failure.
 */
export const embeddedStatus = (value: unknown): number | undefined => {
  const fields = fieldsOf(value)
  // A failed task is not a failed request.
  if (fields === undefined || isOfTask(value)) return undefined
  const code = [fields["code"], fields["status"], fields["status_code"], fields["statusCode"]]
    .map(finiteNumber)
    .find((one) => one !== undefined && one >= 400 && one <= 599)
  const denies = fields["success"] === false || fields["ok"] === false
  const onlyError = !hasMoreDetail(value) && wordsIn(fields["error"] ?? fields["errors"]) !== undefined
  if (code === undefined && !denies && !onlyError) return undefined
  if (code !== undefined) return code
  const said = wordsIn(value) ?? ""
  if (/rate.?limit|too many|slow down/iu.test(said)) return 429
  if (/\b(api.?)?key\b|unauthori[sz]ed|unauthenticated/iu.test(said)) return 401
  return { ...refusalStatus, BadRequest: refusalStatus.Broken }[
    kindOf(400, said, isWantOfCredits(value, said, false))
  ]
}

/**
 * Normalizes a refusal. `status` is the response's status, or the one in its body. `now` is in milliseconds since 1970.
 */
export const normalizeRefusal = (
  method: string,
  answer: HttpAnswer,
  status: number,
  value: unknown,
  key: Redacted.Redacted,
  now: number
): NormalizedRefusal => {
  const words = wordsIn(value) ?? ""
  const wantsCredits = isWantOfCredits(value, words, answer.header("retry-after") !== undefined)
  const said = presentable(words === "" && wantsCredits ? (codesIn(value)[0] ?? "") : words, key)
  const fields = fieldsOf(value)
  const own = { ...fields, message: said }
  if (ownStatus[textOf(fields?.["_tag"]) ?? ""] === answer.status) {
    const refusal = contractRefusal(own)
    if (Option.isSome(refusal)) return { status: answer.status, fields: { ...refusal.value } }
  }

  const message = said === "" ? `HTTP ${answer.status}` : `${said} (HTTP ${answer.status})`
  const kind = kindOf(status, said, wantsCredits)
  const refusalOf = (more: Fields): NormalizedRefusal => ({
    status: refusalStatus[kind],
    fields: { _tag: kind, message, ...more }
  })
  switch (kind) {
    case "TooManyRequests":
      return refusalOf({ code: "rate_limited", retry_after: waitIn(answer, fields, now) })
    case "Unavailable":
      return refusalOf({ code: "draining", retry_after: waitIn(answer, fields, now) })
    case "Unauthorized":
      return refusalOf({ code: "key_unknown" })
    case "PaymentRequired":
      return refusalOf({ code: "credits_short" })
    case "NotFound":
      return refusalOf({ code: method === "POST" ? "voice_unknown" : "task_unknown" })
    case "Conflict":
      return refusalOf({ code: "task_under_way" })
    case "TooLarge": {
      const max = /(\d[\d,.']*\d|\d)\s*(characters|chars|symbols|ký tự)/iu
        .exec(said)?.[1]
        ?.replaceAll(/[^\d]/gu, "")
      return refusalOf({ code: "text_too_long", ...(max === undefined ? {} : { max: Number(max) }) })
    }
    case "BadRequest":
      return refusalOf({ code: "request_invalid" })
    case "Broken":
      return refusalOf({ code: "internal" })
  }
}

/** Returns the kind of a refusal: by status first, then by message and codes if a status has several meanings. */
const kindOf = (status: number, said: string, wantsCredits: boolean) => {
  const refused = status === 400 || status === 403 || status === 422
  if (wantsCredits && (refused || status === 401 || status === 429)) return "PaymentRequired"
  if (status === 402 || (refused && /credit|quota|balance|payment|insufficient|tín dụng|số dư/iu.test(said)))
    return "PaymentRequired"
  if (status === 413 || (refused && /too long|exceed|maximum (length|.*characters)/iu.test(said)))
    return "TooLarge"
  if (status === 401 || status === 403) return "Unauthorized"
  if (status === 404 || status === 410) return "NotFound"
  if (status === 409) return "Conflict"
  if (status === 429) return "TooManyRequests"
  if (status === 503) return "Unavailable"
  if (status === 408 || status === 425 || status < 400 || status >= 500) return "Broken"
  return "BadRequest"
}

/** Returns the seconds to wait: from the Retry-After header (seconds or a date), else from the body. */
const waitIn = (answer: HttpAnswer, fields: Fields | undefined, now: number): number => {
  const header = answer.header("retry-after")
  const wait = header === undefined ? finiteNumber(fields?.["retry_after"]) : retryAfterIn(header, now)
  return (wait === undefined ? undefined : boundedRetryAfter(wait)) ?? defaultRetryAfter
}

/** Caps a wait in seconds; undefined if it is not a positive, finite number. */
export const boundedRetryAfter = (seconds: number): number | undefined =>
  seconds > defaultRetryAfter && Number.isFinite(seconds) ? Math.min(seconds, longestWait) : undefined
