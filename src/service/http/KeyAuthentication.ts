/** Authentication of requests by their key: in the header xi-api-key, or as a bearer token. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option, Redacted } from "effect"
import type { TooManyRequests, Unauthorized } from "../../contract/Errors.ts"
import { keyHeader, KeySecurity } from "../../contract/SpeechApi.ts"
import { KeyGuard } from "../accounts/KeyGuard.ts"
import type { KeyHolder } from "../accounts/KeyRecord.ts"
import { keyExpired, keyMissing, keyUnknown } from "../accounts/KeyRefusals.ts"
import { KeyStore } from "../accounts/KeyStore.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { clientAddress, proxyList } from "./ClientAddress.ts"

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Returns the key of an Authorization header (RFC 6750, section 2.1). */
export const bearerIn = (headers: RequestHeaders): string | undefined =>
  /^Bearer +(\S+)$/iu.exec(headers["authorization"]?.trim() ?? "")?.[1]

/** Finds the account of a request's key. */
export class KeyAuthentication extends Effect.Service<KeyAuthentication>()("service/KeyAuthentication", {
  effect: Effect.gen(function* () {
    const { config } = yield* ServiceOptions
    const keys = yield* KeyStore
    const guard = yield* KeyGuard
    const proxies = proxyList(config.proxies ?? [])
    const holder: Effect.Effect<
      KeyHolder,
      Unauthorized | TooManyRequests,
      HttpServerRequest.HttpServerRequest
    > = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const key = request.headers[keyHeader] ?? bearerIn(request.headers) ?? ""
      if (key === "") return yield* keyMissing
      const recognised = yield* keys.recognise(Redacted.make(key))
      const found = yield* guard.judge(clientAddress(request, proxies), recognised)
      if (Option.isNone(found)) return yield* keyUnknown
      return found.value.expired ? yield* keyExpired : found.value
    })
    return { holder }
  })
}) {}

/** Authenticates the contract's requests. The headers are read in one place for both kinds. */
export const keySecurity = Layer.effect(
  KeySecurity,
  Effect.map(KeyAuthentication, ({ holder }) =>
    KeySecurity.of({ bearer: () => keyMissing, key: () => holder })
  )
)
