/** Reads a service's refusals: by status first, then by the message if a status has several meanings. */
import type { Redacted } from "effect"
import { refusalStatus } from "../../contract/Errors.ts"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { millis } from "../../domain/time/Units.ts"
import { type CallFault, InvalidResponse, Refused, SlowDown } from "../GatewayErrors.ts"
import type { HttpAnswer, SentRequest } from "./HttpTransport.ts"
import { presentable } from "./ServiceAddress.ts"
import {
  fieldsOf,
  finiteNumber,
  hasMoreDetail,
  isOfTask,
  objectsIn,
  textOf,
  wordsIn
} from "./ResponseReading.ts"

/** Maximum wait accepted from a service, in seconds. */
const maxWait = 3_600

type Method = SentRequest<Error>["method"]

/** What a refusal means. */
type Kind = "key" | "credits" | "unknown" | "too-long" | "rules" | "rate" | "unavailable" | "broken"

/** The status of each of the contract's own refusals, by its tag. */
const ownStatus: Readonly<Record<string, number>> = refusalStatus

/**
 * Returns the status of a refusal in a response with a success status, or undefined if there is none. Some services
 * report refusals only in the body. A failed task is not a refused request.
 */
export const embeddedStatus = (method: Method, value: unknown): number | undefined => {
  const fields = fieldsOf(value)
  if (fields === undefined || isOfTask(value)) return undefined
  const message = messageIn(value)
  const codes = ["code", "status", "status_code", "statusCode", "error_code"].map((name) => fields[name])
  const http = codes.map(finiteNumber).find((code) => code !== undefined && code >= 400 && code <= 599)
  if (http !== undefined) return http
  const denies =
    fields["success"] === false ||
    fields["ok"] === false ||
    (message !== "" && isFailureCode(codes, message) && fields["id"] === undefined)
  const onlyError = !hasMoreDetail(value) && wordsIn(fields["error"] ?? fields["errors"]) !== undefined
  if (!denies && !onlyError) return undefined
  if (/rate.?limit|too many|slow down/iu.test(message)) return 429
  if (/\b(api.?)?key\b|unauthori[sz]ed|unauthenticated/iu.test(message)) return 401
  if (method === "GET" && /not found|no such|does not exist|unknown task/iu.test(message)) return 404
  const kind = kindOf(400, message, isWantOfCredits(value, message, false))
  if (kind === "credits") return 402
  if (kind === "too-long") return 413
  // Of a refused create, no task was made. A read may succeed later, and an error alone does not say.
  return denies && method === "POST" ? 400 : 500
}

/** Returns the beginning of a message: expressions that read it take the square of its length. */
const messageIn = (value: unknown): string => (wordsIn(value) ?? "").slice(0, 2_000)

/** Whether a code is one of failure: 0, 200 and words of success are not, nor is any beside a message of success. */
const isFailureCode = (codes: ReadonlyArray<unknown>, message: string): boolean => {
  const [code, status] = codes
  if (/^\W*(ok|success|created|accepted|queued|done)\b/iu.test(message)) return false
  if (status === 0 || status === "0" || status === false) return true
  if (typeof status === "string" && /^(error|fail|failed|failure)$/iu.test(status)) return true
  const number = finiteNumber(code)
  return number === undefined
    ? typeof code === "string" && /error|fail|invalid|denied|refus|reject/iu.test(code)
    : number !== 0 && number !== 1 && !(number >= 200 && number <= 299)
}

/** Reads a refusal. `status` is the response's status, or the one in its body. `now` is in milliseconds since 1970. */
export const refusalOf = (
  answer: HttpAnswer,
  status: number,
  value: unknown,
  key: Redacted.Redacted,
  now: number,
  method: Method
): CallFault => {
  const message = messageIn(value)
  const retryAfter = answer.header("retry-after")
  const wantsCredits = isWantOfCredits(value, message, retryAfter !== undefined)
  const said = presentable(message === "" && wantsCredits ? (codesIn(value)[0] ?? "") : message, key)
  const fields = fieldsOf(value)
  const isOwn = ownStatus[textOf(fields?.["_tag"]) ?? ""] === answer.status
  const words = isOwn ? said : said === "" ? `HTTP ${answer.status}` : `${said} (HTTP ${answer.status})`
  const kind = isOwn ? kindOf(status, "", false) : kindOf(status, said, wantsCredits)
  if (kind === "broken") return new InvalidResponse({ words })
  if (kind === "rate" || kind === "unavailable") {
    // Seconds or a date in the header, else seconds in the body.
    const stated = finiteNumber(fields?.["retry_after"])
    const wait = retryAfter === undefined ? stated : retryAfterIn(retryAfter, now)
    // Said by a proxy, it may come after the task was made.
    if (kind === "unavailable" && method === "POST" && !isOwn && wait === undefined)
      return new InvalidResponse({ words })
    return slowDownFrom(words, wait, fields?.["code"] === "disk_full")
  }
  if (kind !== "too-long") return new Refused({ reason: kind, words, code: textOf(fields?.["code"]) })
  const stated = /(\d[\d,.']*\d|\d)\s*(characters|chars|symbols|ký tự)/iu.exec(said)?.[1]
  const max = finiteNumber(fields?.["max"]) ?? finiteNumber(stated?.replaceAll(/[^\d]/gu, ""))
  return new Refused({ reason: kind, words, max: Number.isSafeInteger(max) ? max : undefined })
}

/** Builds a SlowDown with a wait in seconds. Implausible waits are dropped. */
export const slowDownFrom = (words: string, seconds: number | undefined, isFull = false): SlowDown => {
  const isPlausible = seconds !== undefined && seconds > 0.001 && Number.isFinite(seconds)
  const retryAfter = isPlausible ? millis(Math.min(seconds, maxWait) * 1000) : undefined
  return new SlowDown({ words, retryAfter, isFull: isFull || undefined })
}

/** Returns the kind of a refusal: by status first, then by message and codes if a status has several meanings. */
const kindOf = (status: number, said: string, wantsCredits: boolean): Kind => {
  const refused = status === 400 || status === 403 || status === 422
  if (wantsCredits && (refused || status === 401 || status === 429)) return "credits"
  if (status === 402 || (refused && /credit|quota|balance|payment|insufficient|tín dụng|số dư/iu.test(said)))
    return "credits"
  if (status === 413 || (refused && /too long|exceed|maximum (length|.*characters)/iu.test(said)))
    return "too-long"
  if (status === 401 || status === 403) return "key"
  if (status === 404 || status === 410) return "unknown"
  if (status === 429) return "rate"
  if (status === 503) return "unavailable"
  return status === 408 || status === 425 || status < 400 || status >= 500 ? "broken" : "rules"
}

/**
 * Codes that always mean an exhausted account, such as OpenAI's `insufficient_quota` and `billing_hard_limit_reached`.
 */
const certain =
  /^(insufficient|not_enough|out_of|no|low)_?(quota|credits?|balance|funds)|^credits?_?(balance_)?(short|exhausted|exceeded|depleted|required)|^billing_|^payment_required$/iu

/** Codes that mean an exhausted account on some services (ElevenLabs), and a rate limit on others. */
const likely = /^(quota|usage_?limit|credit_?limit)_?(exceeded|reached|exhausted)$/iu

/** Words about money. */
const ofMoney =
  /billing|insufficient[ _](credits?|quota|balance|funds)|(out of|not enough|no more|too few) credits|credits? (are |is |have been )?(exhausted|used up|depleted)|account balance|tín dụng|số dư/iu

/** Words about a rate, or a time to retry. */
const ofRate =
  /rate.?limit|too.many.requests|slow down|concurren|per[ _-]?(second|minute|hour|day)|(retry|try again|wait)\b[^.]{0,20}\d/iu

/**
 * Returns whether a refusal means that the account has too few credits. `said` is its message. `wait` says whether a
 * header names a time to retry, as for rate limits but not for exhausted accounts.
 */
const isWantOfCredits = (value: unknown, said: string, wait: boolean): boolean => {
  const codes = codesIn(value)
  if (codes.some((code) => certain.test(code))) return true
  if (wait || namesWait(value) || [said, ...codes].some((words) => ofRate.test(words))) return false
  return codes.some((code) => likely.test(code)) || ofMoney.test(said)
}

/** Returns the codes of an error body at any depth: single words in the fields that services use for codes. */
const codesIn = (value: unknown): ReadonlyArray<string> =>
  objectsIn(value).flatMap((fields) =>
    ["code", "error_code", "type", "status", "reason", "error", "detail"].flatMap((name) => {
      const code = fields[name]
      return typeof code === "string" && /^[a-z][\w.-]*$/iu.test(code) ? [code] : []
    })
  )

/** Returns whether a body names a time to retry, as `retry_after` or as Google's `RetryInfo`. */
const namesWait = (value: unknown): boolean =>
  objectsIn(value).some((fields) =>
    ["retry_after", "retryAfter", "retry_after_ms", "retryDelay"].some((name) => fields[name] !== undefined)
  )
