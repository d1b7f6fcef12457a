/**
 * Signs webhooks as the Standard Webhooks specification does (https://www.standardwebhooks.com): HMAC-SHA-256 over id,
 * timestamp and body.
 */
import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { Secret } from "./Secret.ts"

/** Signs an account's webhooks with a secret that is derived from the service's own. */
export class WebhookSignature extends Effect.Service<WebhookSignature>()("service/WebhookSignature", {
  effect: Effect.map(Secret, (secret) => {
    const keyOf = (account: number) => secret.digest("webhook", String(account))
    return {
      /** The account's secret, in the specification's notation. */
      secretOf: (account: number): string => `whsec_${keyOf(account).toString("base64")}`,

      /** The headers of a webhook. `at` is in seconds since 1970. */
      headers: (account: number, id: string, at: number, body: string): Readonly<Record<string, string>> => ({
        "webhook-id": id,
        "webhook-timestamp": String(at),
        "webhook-signature": `v1,${createHmac("sha256", keyOf(account)).update(`${id}.${at}.${body}`).digest("base64")}`
      })
    }
  })
}) {}
