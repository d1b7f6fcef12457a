/** Webhook URL of the end-of-run notification: from the manifest, or from an environment variable it names. */
import { Config, Data, Effect } from "effect"
import type { NotifySettings } from "../../domain/manifest/ServiceSettings.ts"
import { Screen } from "../terminal/Screen.ts"

/** Why a notification could not be sent. */
export class UnsetAddress extends Data.TaggedError("Untold")<{ readonly why: string }> {}

/** Resolves a manifest's `webhook`; `$NAME` reads it from the environment. */
export const addressOf = Effect.fnUntraced(function* (webhook: string) {
  const address = webhook.startsWith("$") ? yield* variable(webhook.slice(1)) : webhook
  return URL.canParse(address)
    ? address
    : yield* new UnsetAddress({
        why: `${webhook} is not a valid URL; correct it, such as https://hooks.example/night`
      })
})

/** Warns before a run if the webhook URL cannot be resolved on this machine. */
export const warnUnset = Effect.fn("NotificationAddress.warnUnset")(function* ({ webhook }: NotifySettings) {
  const screen = yield* Screen
  if (webhook === undefined) return
  yield* Effect.catchAll(addressOf(webhook), ({ why }) =>
    screen.say(`warning: notify.webhook: ${why}; no notification would be sent at the end of a run`)
  )
})

const variable = (name: string): Effect.Effect<string, UnsetAddress> =>
  Config.nonEmptyString(name).pipe(Effect.mapError(() => new UnsetAddress({ why: `$${name} is not set` })))
