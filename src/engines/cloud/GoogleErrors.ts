/** Reads the errors that Google's APIs share (google.rpc.Status). A wrong key gets status 400, not 401. */
import type { CloudFault, CloudReading, CloudRefusal } from "./shared/CloudFailures.ts"
import { listAt, textAt } from "./shared/JsonFields.ts"

export const readGoogleError = ({ status, json }: CloudRefusal): CloudReading => {
  const code = textAt(json, "error.status")
  const message = textAt(json, "error.message")
  const details = listAt(json, "error.details")
  const reasons = details.flatMap((detail) => textAt(detail, "reason") ?? [])
  const delay = details.flatMap((detail) => textAt(detail, "retryDelay") ?? [])[0]
  const seconds = delay === undefined ? NaN : Number(delay.replace(/s$/u, ""))
  const isDaily = details
    .flatMap((detail) => listAt(detail, "violations"))
    .some((violation) => /per_?day/iu.test(textAt(violation, "quotaId") ?? ""))
  const fault: CloudFault | undefined = reasons.some((reason) => keyReasons.has(reason))
    ? "key"
    : reasons.includes("BILLING_DISABLED") || (status === 429 && isDaily)
      ? "quota"
      : status === 400 || status === 404
        ? faultOfMessage(message ?? "")
        : undefined
  return { code, message, fault, retryAfter: seconds > 0 ? seconds : undefined }
}

const keyReasons = new Set([
  "API_KEY_INVALID",
  "API_KEY_SERVICE_BLOCKED",
  "SERVICE_DISABLED",
  "CREDENTIALS_MISSING",
  "ACCESS_TOKEN_EXPIRED"
])

/** Both APIs answer these with INVALID_ARGUMENT; only the message distinguishes them. */
const faultOfMessage = (message: string): CloudFault | undefined => {
  if (/longer than|too long|exceeds? (?:the )?(?:limit|maximum)|token count/iu.test(message))
    return "too-long"
  if (/\bvoice\b.*(?:does not exist|not exist|not found|not supported|unknown)/isu.test(message))
    return "unknown-voice"
  return undefined
}
