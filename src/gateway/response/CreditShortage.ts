/** Distinguishes an exhausted account from a rate limit: some services use one status for both, often 429. */
import { type Fields, fieldsOf } from "./ResponseFields.ts"

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
export const isWantOfCredits = (value: unknown, said: string, wait: boolean): boolean => {
  const codes = codesIn(value)
  if (codes.some((code) => certain.test(code))) return true
  if (wait || namesWait(value) || [said, ...codes].some((words) => ofRate.test(words))) return false
  return codes.some((code) => likely.test(code)) || ofMoney.test(said)
}

/** Returns the codes of an error body at any depth: single words in the fields that services use for codes. */
export const codesIn = (value: unknown): ReadonlyArray<string> =>
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

/** Returns the objects of an error body, outer ones first. */
const objectsIn = (value: unknown, depth = 4): ReadonlyArray<Fields> => {
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((one: unknown) => objectsIn(one, depth - 1))
  const fields = fieldsOf(value)
  return fields === undefined
    ? []
    : [fields, ...Object.values(fields).flatMap((one) => objectsIn(one, depth - 1))]
}
