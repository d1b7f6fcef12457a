/** Error responses to requests with a missing or invalid key. */
import { Unauthorized } from "../../contract/Errors.ts"

/** The refusal of a key that is unknown or revoked. */
export const keyUnknown = new Unauthorized({
  code: "key_unknown",
  message: "xi-api-key: this key is unknown or revoked; use another key",
  field: "xi-api-key"
})

/** The refusal of a key after its expiry. */
export const keyExpired = new Unauthorized({
  code: "key_expired",
  message: "xi-api-key: this key has expired; use another key",
  field: "xi-api-key"
})

/** The refusal of a request without a key. */
export const keyMissing = new Unauthorized({
  code: "key_missing",
  message: "the header xi-api-key is missing; send it with your key",
  field: "xi-api-key"
})
