/** Authentication of requests by their key: in the header xi-api-key, or as a bearer token. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option, Redacted } from "effect"
import type { Unauthorized } from "../../contract/Errors.ts"
import { keyHeader, KeySecurity } from "../../contract/SpeechApi.ts"
import { keyMissing, keyUnknown } from "../accounts/KeyRefusals.ts"
import { type KeyHolder, KeyStore } from "../accounts/KeyStore.ts"

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Returns the key of an Authorization header (RFC 6750, section 2.1). */
export const bearerIn = (headers: RequestHeaders): string | undefined =>
  /^Bearer +(\S+)$/iu.exec(headers["authorization"]?.trim() ?? "")?.[1]

/** Returns the account of a request's key. */
export const holderOf = (keys: KeyStore, headers: RequestHeaders): Effect.Effect<KeyHolder, Unauthorized> => {
  const key = headers[keyHeader] ?? bearerIn(headers) ?? ""
  return key === ""
    ? keyMissing
    : Effect.flatMap(
        keys.recognise(Redacted.make(key)),
        Option.match({ onNone: () => keyUnknown, onSome: Effect.succeed })
      )
}

/** Authenticates the contract's requests. The headers are read in one place for both kinds. */
export const keySecurity = Layer.effect(
  KeySecurity,
  Effect.map(KeyStore, (keys) => {
    const authenticated = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      holderOf(keys, headers)
    )
    return KeySecurity.of({ bearer: () => keyMissing, key: () => authenticated })
  })
)
