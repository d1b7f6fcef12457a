/** Where webhooks may go: never to addresses that only the service can reach, unless the settings allow it. */
import { isIP } from "node:net"
import { hostOf, networkPlaceOf } from "../../system/NetworkPlace.ts"

/**
 * Returns why a webhook's URL is not allowed, if it is not. `anywhere` allows private addresses. The addresses of a
 * host name are judged when the webhook is sent: looking them up may take long.
 */
export const webhookFault = (url: string, anywhere: boolean): string | undefined => {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (
    target === undefined ||
    !/^https?:$/u.test(target.protocol) ||
    target.username !== "" ||
    target.password !== ""
  )
    return "expected a URL that starts with https:// or http://, without a user name"
  const host = hostOf(target)
  const isPrivate = isIP(host) === 0 ? /(?:^|\.)localhost\.?$/u.test(host) : networkPlaceOf(host) !== "public"
  return isPrivate && !anywhere
    ? "its host is in a private network; use a public address, or allow it with webhooks.privateAddresses"
    : undefined
}
