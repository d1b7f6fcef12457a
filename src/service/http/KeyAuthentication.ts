/** Authentication of requests by their key. */
import { Effect, Layer, Option, Redacted } from "effect"
import { Unauthorized } from "../../contract/Errors.ts"
import { KeySecurity } from "../../contract/SpeechApi.ts"
import { KeyStore } from "../accounts/KeyStore.ts"

/** The refusal of a key that is unknown or revoked. */
export const keyUnknown = new Unauthorized({
  code: "key_unknown",
  message: "xi-api-key: this key is unknown or revoked",
  field: "xi-api-key"
})

const keyMissing = new Unauthorized({
  code: "key_missing",
  message: "the header xi-api-key is missing",
  field: "xi-api-key"
})

/** Returns the account of a request's key. */
export const keySecurity = Layer.effect(
  KeySecurity,
  Effect.map(KeyStore, (keys) =>
    KeySecurity.of({
      key: (key) =>
        Redacted.value(key) === ""
          ? keyMissing
          : Effect.flatMap(
              keys.recognise(key),
              Option.match({ onNone: () => keyUnknown, onSome: Effect.succeed })
            )
    })
  )
)
