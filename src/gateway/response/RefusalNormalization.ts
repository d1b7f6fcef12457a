/**
 * What a service refuses with, brought into the contract's shape: by its status first, by its words where one status is
 * used for several things.
 */
import { flow, Option, type Redacted, Schema } from "effect"
import { AnyRefusal, refusalStatus } from "../../contract/Errors.ts"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { isOfTask, hasMoreDetail, wordsIn } from "./ResponseNormalization.ts"
import { type Fields, fieldsOf } from "./ResponseFields.ts"
import { presentable } from "../transport/ServiceAddress.ts"
import { codesIn, isWantOfCredits } from "./CreditShortage.ts"
import type { HttpAnswer } from "../transport/HttpTransport.ts"

/** Seconds to wait in a refusal whose service names none: the contract wants a number. */
export const defaultRetryAfter = 0.001

/** The longest wait that a service is believed to want, in seconds. */
const longestWait = 3_600

/** A refusal in the contract's shape. */
export interface NormalizedRefusal {
  readonly status: number
  readonly fields: Fields
}

/** Those that the contract's endpoints answer with: none answers that a path does not take its method. */
const { MethodNotAllowed: _, ...endpointStatus } = refusalStatus
const ownStatus: Readonly<Record<string, number>> = endpointStatus

const isRefusal = flow(Schema.decodeUnknownOption(AnyRefusal), Option.isSome)

/**
 * The status of a refusal that comes with one of success: some services say in the body alone that a request failed.
 * Undefined where nothing was refused. What it was refused for is told by the body's own code, else by its words; where
 * neither tells, it is a fault of the service, as is whatever leaves open whether a task was made.
 */
export const embeddedStatus = (value: unknown): number | undefined => {
  const fields = fieldsOf(value)
  // A task that has failed is no request that has.
  if (fields === undefined || isOfTask(value)) return undefined
  const code = [fields["code"], fields["status"], fields["status_code"], fields["statusCode"]]
    .map(Number)
    .find((one) => one >= 400 && one <= 599)
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

/** What an answer refuses with, whose status is `status` or means it; `now` is in milliseconds since 1970. */
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
  if (ownStatus[String(fields?.["_tag"])] === answer.status && isRefusal(own))
    return { status: answer.status, fields: own }

  const message = said === "" ? `HTTP ${answer.status}` : `${said} (HTTP ${answer.status})`
  const kind = kindOf(status, said, wantsCredits)
  const told = (more: Fields): NormalizedRefusal => ({
    status: refusalStatus[kind],
    fields: { _tag: kind, message, ...more }
  })
  switch (kind) {
    case "TooManyRequests":
      return told({ code: "rate_limited", retry_after: waitIn(answer, fields, now) })
    case "Unavailable":
      return told({ code: "draining", retry_after: waitIn(answer, fields, now) })
    case "Unauthorized":
      return told({ code: "key_unknown" })
    case "PaymentRequired":
      return told({ code: "credits_short" })
    case "NotFound":
      return told({ code: method === "POST" ? "voice_unknown" : "task_unknown" })
    case "Conflict":
      return told({ code: "task_under_way" })
    case "TooLarge": {
      const max = /(\d[\d,.']*\d|\d)\s*(characters|chars|symbols|ký tự)/iu
        .exec(said)?.[1]
        ?.replaceAll(/[^\d]/gu, "")
      return told({ code: "text_too_long", ...(max === undefined ? {} : { max: Number(max) }) })
    }
    case "BadRequest":
      return told({ code: "request_invalid" })
    case "Broken":
      return told({ code: "internal" })
  }
}

/**
 * What a foreign refusal is: by its status first, by its words and codes where one status is used for several things.
 */
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

/** Seconds to wait by the Retry-After header, as seconds or a date, or by the body. */
const waitIn = (answer: HttpAnswer, fields: Fields | undefined, now: number): number => {
  const header = answer.header("retry-after")
  const wait = header === undefined ? Number(fields?.["retry_after"]) : retryAfterIn(header, now)
  return boundedRetryAfter(wait) ?? defaultRetryAfter
}

/** So many seconds to wait, as far as a service is believed; undefined where that is none. */
export const boundedRetryAfter = (seconds: number): number | undefined =>
  seconds > defaultRetryAfter && Number.isFinite(seconds) ? Math.min(seconds, longestWait) : undefined
