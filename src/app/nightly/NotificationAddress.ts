/** The address to which a run's end is told: as it stands in the manifest, or from the environment. */
import { Config, Data, Effect } from "effect"
import type { NotifySettings } from "../../domain/manifest/ServiceSettings.ts"
import { Screen } from "../terminal/Screen.ts"

/** Why somebody could not be told. */
export class UnsetAddress extends Data.TaggedError("Untold")<{ readonly why: string }> {}

/** What a manifest's `webhook` means; `$NAME` takes it from the environment. */
export const addressOf = Effect.fnUntraced(function* (webhook: string) {
  const address = webhook.startsWith("$") ? yield* variable(webhook.slice(1)) : webhook
  return URL.canParse(address) ? address : yield* new UnsetAddress({ why: `${webhook} holds no address` })
})

/** Tells beforehand of an address that there is not, at least not on this machine. */
export const warnUnset = Effect.fn("NotifyAddress.warn")(function* ({ webhook }: NotifySettings) {
  const screen = yield* Screen
  if (webhook === undefined) return
  yield* Effect.catchAll(addressOf(webhook), ({ why }) =>
    screen.say(`warning: notify.webhook: ${why}, so nobody would be told of a run's end`)
  )
})

const variable = (name: string): Effect.Effect<string, UnsetAddress> =>
  Config.nonEmptyString(name).pipe(Effect.mapError(() => new UnsetAddress({ why: `$${name} is not set` })))
