/** Where webhooks may go: never to addresses that only the service can reach, unless the settings allow it. */
import { Effect, Option } from "effect"
import { Unprocessable } from "../../contract/Errors.ts"
import { hostOf, placesOf, type ResolveName } from "../../system/NetworkPlace.ts"

/** Returns why a webhook's URL is not allowed, if it is not. `anywhere` allows private addresses. */
export const webhookFault = (
  url: string,
  anywhere: boolean,
  resolve: ResolveName
): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    const target = URL.canParse(url) ? new URL(url) : undefined
    if (
      target === undefined ||
      !/^https?:$/u.test(target.protocol) ||
      target.username !== "" ||
      target.password !== ""
    )
      return Option.some("expected a URL that starts with https:// or http://, without a user name")
    if (anywhere) return Option.none()
    const places = yield* Effect.option(Effect.tryPromise(() => placesOf(hostOf(target), resolve)))
    if (Option.isNone(places)) return Option.some("its host name does not resolve; correct it")
    return [...places.value].every((place) => place === "public")
      ? Option.none()
      : Option.some(
          "its host is in a private network; use a public address, or allow it with webhooks.privateAddresses"
        )
  })

/** The refusal of a create because of its webhook. */
export const webhookRefused = (fault: string) =>
  new Unprocessable({ code: "webhook_refused", field: "webhook_url", message: `webhook_url: ${fault}` })
