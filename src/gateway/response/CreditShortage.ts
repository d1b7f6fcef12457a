/** Tells a used-up account from a rate limit where a service answers both with one status, often 429. */
import { type Fields, fieldsOf } from "./ResponseFields.ts"

/** Codes that mean nothing else: OpenAI's `insufficient_quota` and `billing_hard_limit_reached`, and their like. */
const certain =
  /^(insufficient|not_enough|out_of|no|low)_?(quota|credits?|balance|funds)|^credits?_?(balance_)?(short|exhausted|exceeded|depleted|required)|^billing_|^payment_required$/iu

/** Codes of a used-up account at some services (ElevenLabs) and of a rate at others. */
const likely = /^(quota|usage_?limit|credit_?limit)_?(exceeded|reached|exhausted)$/iu

/** Words that speak of money. */
const ofMoney =
  /billing|insufficient[ _](credits?|quota|balance|funds)|(out of|not enough|no more|too few) credits|credits? (are |is |have been )?(exhausted|used up|depleted)|account balance|tín dụng|số dư/iu

/** Words that speak of a rate, or name a moment to come back. */
const ofRate =
  /rate.?limit|too.many.requests|slow down|concurren|per[ _-]?(second|minute|hour|day)|(retry|try again|wait)\b[^.]{0,20}\d/iu

/**
 * Whether a refusal means that the account has too few credits. `said` are its words; `wait` is whether a header names
 * a time after which to come back, as a rate limit does and a used-up account does not.
 */
export const isWantOfCredits = (value: unknown, said: string, wait: boolean): boolean => {
  const codes = codesIn(value)
  if (codes.some((code) => certain.test(code))) return true
  if (wait || namesWait(value) || [said, ...codes].some((words) => ofRate.test(words))) return false
  return codes.some((code) => likely.test(code)) || ofMoney.test(said)
}

/** The codes of an error body, wherever they are: single words under the names that services use for them. */
export const codesIn = (value: unknown): ReadonlyArray<string> =>
  objectsIn(value).flatMap((fields) =>
    ["code", "error_code", "type", "status", "reason", "error", "detail"].flatMap((name) => {
      const code = fields[name]
      return typeof code === "string" && /^[a-z][\w.-]*$/iu.test(code) ? [code] : []
    })
  )

/** Whether a body names a time after which to come back, as `retry_after` or as Google's `RetryInfo`. */
const namesWait = (value: unknown): boolean =>
  objectsIn(value).some((fields) =>
    ["retry_after", "retryAfter", "retry_after_ms", "retryDelay"].some((name) => fields[name] !== undefined)
  )

/** The objects of an error body, the outer ones first. */
const objectsIn = (value: unknown, depth = 4): ReadonlyArray<Fields> => {
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((one: unknown) => objectsIn(one, depth - 1))
  const fields = fieldsOf(value)
  return fields === undefined
    ? []
    : [fields, ...Object.values(fields).flatMap((one) => objectsIn(one, depth - 1))]
}
