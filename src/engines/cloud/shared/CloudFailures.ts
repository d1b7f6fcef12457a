/** Maps a cloud provider's error responses to engine errors. */
import { Record } from "effect"
import { EngineUnavailable, SpeechFailed } from "../../Engine.ts"
import { waitIn } from "../../ResponseBody.ts"
import { textAt } from "./JsonFields.ts"

/** An error response. */
export interface CloudRefusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body, if it is JSON. */
  readonly json: unknown
  /** The body as text, at most 1,000 characters. */
  readonly text: string
}

/** The meaning of an error. */
export type CloudFault =
  /** The key is missing, wrong or lacks a permission. */
  | "key"
  /** The account has no characters or money left. */
  | "quota"
  | "too-long"
  | "unknown-voice"
  | "refused"
  | "busy"
  /** The request failed at the provider; others may succeed. */
  | "crashed"
  /** No request can succeed now. */
  | "down"

/** A provider's reading of an error; if undefined, the status decides. */
export interface CloudReading {
  readonly fault?: CloudFault | undefined
  /** The provider's code for it, such as `quota_exceeded`. */
  readonly code?: string | undefined
  readonly message?: string | undefined
  /** Seconds to wait, if the body names them. */
  readonly retryAfter?: number | undefined
}

/** Makes a table of a provider's error codes. `codes` has those of each meaning, separated by spaces. */
export const faultCodes = <F extends CloudFault>(
  codes: Readonly<Record<F, string>>
): ReadonlyMap<string, F> =>
  new Map(
    Record.toEntries(codes).flatMap(([fault, own]) => own.split(" ").map((code) => [code, fault] as const))
  )

/** Seconds before the next attempt if a busy provider names no time. Limits are per second or per minute. */
const usualWait = 5

/** Returns the engine error of a response. `now` is in ms since the Unix epoch. */
export const cloudFailure = (
  engine: string,
  host: string,
  refusal: CloudRefusal,
  read: CloudReading,
  now: number
): EngineUnavailable | SpeechFailed => {
  const { status, headers } = refusal
  const wait = waitIn(headers["retry-after"], now) ?? read.retryAfter
  const code = read.code === undefined || read.code === "" ? "" : ` (${read.code})`
  const words = oneLine(read.message ?? usualMessage(refusal))
  const detail = `${host} responded with ${status}${code}${words === "" ? "" : `: ${words}`}`
  return faultError(engine, read.fault ?? faultOf(status, wait), detail, wait)
}

/** Returns the engine error of a fault. `wait` is in seconds. */
export const faultError = (
  engine: string,
  fault: CloudFault,
  detail: string,
  wait?: number
): EngineUnavailable | SpeechFailed => {
  switch (fault) {
    case "key":
      return new EngineUnavailable({ engine, detail: `${detail}; set a key that the provider accepts` })
    case "down":
      return new EngineUnavailable({ engine, detail })
    case "busy":
      return new SpeechFailed({ engine, reason: "busy", detail, retryAfter: wait ?? usualWait })
    case "quota":
    case "too-long":
    case "unknown-voice":
    case "refused":
    case "crashed":
      return new SpeechFailed({ engine, reason: fault, detail })
  }
}

/** The meaning of a status if the provider's body does not state a reason. */
const faultOf = (status: number, wait: number | undefined): CloudFault => {
  switch (status) {
    case 401:
    case 403:
      return "key"
    case 402:
      return "quota"
    case 408:
    case 429:
      return "busy"
    case 413:
      return "too-long"
    case 502:
    case 503:
    case 504:
      return wait === undefined ? "down" : "busy"
  }
  // A redirect is not followed: the key must not leave its host.
  if (status < 400) return "down"
  return status < 500 ? "refused" : "crashed"
}

/** Returns the message of an error body in one of the usual shapes, else a short plain-text body. */
const usualMessage = ({ json, text }: CloudRefusal): string =>
  ["error.message", "detail.message", "message", "error", "detail"]
    .map((path) => textAt(json, path))
    .find((found) => found !== undefined) ?? (json === undefined && !/^\s*</u.test(text) ? text : "")

const oneLine = (words: string): string =>
  words
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 300)
