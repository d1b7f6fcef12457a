/** What the handlers must know of the service that runs them, and who is asking. */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Unauthorized } from "../../contract/Errors.ts"
import { KeySecurity } from "../../contract/SpeechApi.ts"
import type { KeyHolder } from "../accounts/KeyStore.ts"

/** What the handlers must know of the service that runs them. */
export class RequestContext extends Context.Tag("service/Desk")<
  RequestContext,
  {
    readonly version: string
    readonly bodyBytes: number
    /** Seconds at which an SRT's last entry must have begun. */
    readonly timeline: number
    /** Tasks that may wait at once; accounts that have some waiting share it evenly. */
    readonly queue: number
    /** Whether clients are told an engine's own words, in which addresses, programs and variables may be named. */
    readonly candid: boolean
    readonly publicUrl: string | undefined
    /** Whether the service is stopping. */
    readonly draining: () => boolean
    /** Tells a provider's workers of a new task. */
    readonly wake: (provider: string) => Effect.Effect<void>
    readonly recognise: (key: Redacted.Redacted<string>) => Effect.Effect<Option.Option<KeyHolder>>
    /** Counts a request of an account; seconds to wait where it has made too many. */
    readonly pace: (account: number) => Effect.Effect<Option.Option<number>>
  }
>() {}

/** The refusal of a key that is unknown or revoked. */
export const keyUnknown = new Unauthorized({
  code: "key_unknown",
  message: "xi-api-key: this key is unknown or revoked",
  field: "xi-api-key"
})

/** Recognises the key of a request. */
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
