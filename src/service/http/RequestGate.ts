/** Checks every authenticated request: the scope of its key and the limits. Sets the RateLimit headers. */
import { HttpApp, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { CurrentAccount, KeyScope } from "../../contract/Account.ts"
import { Forbidden, TooManyRequests } from "../../contract/Errors.ts"
import { type RateLimit, RateLimiter } from "../accounts/RateLimiter.ts"

/** Admits requests. */
export class RequestGate extends Effect.Service<RequestGate>()("service/RequestGate", {
  effect: Effect.map(RateLimiter, (limiter) => ({
    /** Checks a key's scope and counts the request. Sets the response's RateLimit headers if there are limits. */
    admit: (holder: CurrentAccount["Type"], scope: KeyScope) =>
      Effect.gen(function* () {
        const { scopes } = holder
        if (!scopes.includes(scope))
          return yield* new Forbidden({
            code: "scope_missing",
            message: `xi-api-key: this key may not ${scope}; it may ${scopes.join(" and ")}; use another key`,
            field: "xi-api-key"
          })
        const { limits, wait } = yield* limiter.take(holder)
        if (limits.length > 0)
          yield* HttpApp.appendPreResponseHandler((_, response) =>
            Effect.succeed(HttpServerResponse.setHeaders(response, rateLimitHeaders(limits)))
          )
        if (wait === 0) return
        return yield* new TooManyRequests({
          code: "rate_limited",
          message: "too many requests; retry after the time in Retry-After",
          retry_after: wait
        })
      })
  }))
}) {}

/**
 * Returns the fields of draft-ietf-httpapi-ratelimit-headers-10. `q` is a policy's quota in a window of `w` seconds,
 * and `r` is the rest of it. The whole quota is available again in `t` seconds.
 */
const rateLimitHeaders = (limits: ReadonlyArray<RateLimit>): Readonly<Record<string, string>> => ({
  "ratelimit-policy": limits
    .map(({ policy, quota, window }) => `"${policy}";q=${quota};w=${window}`)
    .join(", "),
  ratelimit: limits.map(({ policy, left, reset }) => `"${policy}";r=${left};t=${reset}`).join(", ")
})
