/** Authentication of requests by their key. */
import { Effect, Layer, Option, Redacted } from "effect"
import { KeySecurity } from "../../contract/SpeechApi.ts"
import { keyMissing, keyUnknown } from "../accounts/KeyRefusals.ts"
import { KeyStore } from "../accounts/KeyStore.ts"

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
