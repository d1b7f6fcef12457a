/** What request handlers share: the service's settings and limits, and authentication by key. */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Unauthorized } from "../../contract/Errors.ts"
import { KeySecurity } from "../../contract/SpeechApi.ts"
import type { KeyHolder } from "../accounts/KeyStore.ts"

/** Settings and operations of the running service, for the request handlers. */
export class RequestContext extends Context.Tag("service/Desk")<
  RequestContext,
  {
    readonly version: string
    readonly bodyBytes: number
    /** Latest start of an SRT entry, in seconds. */
    readonly timeline: number
    /** Maximum queued tasks, shared evenly by the accounts that have any. */
    readonly queue: number
    /** Whether clients see an engine's own errors, which may name addresses, programs and variables. */
    readonly candid: boolean
    readonly publicUrl: string | undefined
    /** Whether the service is stopping. */
    readonly draining: () => boolean
    /** Wakes one of a provider's workers for a new task. */
    readonly wake: (provider: string) => Effect.Effect<void>
    readonly recognise: (key: Redacted.Redacted<string>) => Effect.Effect<Option.Option<KeyHolder>>
    /** Counts a request of an account. Returns the seconds to wait if it is over its rate. */
    readonly pace: (account: number) => Effect.Effect<Option.Option<number>>
  }
>() {}

/** The refusal of a key that is unknown or revoked. */
export const keyUnknown = new Unauthorized({
  code: "key_unknown",
  message: "xi-api-key: this key is unknown or revoked",
  field: "xi-api-key"
})

/** Authenticates a request by its key. */
export const keySecurity = Layer.effect(
  KeySecurity,
  Effect.map(RequestContext, (desk) =>
    KeySecurity.of({
      key: (key) =>
        Effect.gen(function* () {
          if (Redacted.value(key) === "") {
            return yield* new Unauthorized({
              code: "key_missing",
              message: "the header xi-api-key is missing",
              field: "xi-api-key"
            })
          }
          const holder = yield* desk.recognise(key)
          if (Option.isNone(holder)) {
            return yield* keyUnknown
          }
          return holder.value
        })
    })
  )
)
