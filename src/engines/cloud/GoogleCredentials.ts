/** Access tokens of a Google service account, from the key file that GOOGLE_APPLICATION_CREDENTIALS names. */
import { createSign } from "node:crypto"
import { readFile } from "node:fs/promises"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { EngineUnavailable } from "../Engine.ts"
import { boundedBody, parsedJson } from "../ResponseBody.ts"
import { textAt } from "./shared/JsonFields.ts"

const KeyFile = Schema.parseJson(
  Schema.Struct({
    type: Schema.Literal("service_account"),
    client_email: Schema.NonEmptyString,
    private_key: Schema.NonEmptyString,
    private_key_id: Schema.optional(Schema.String),
    token_uri: Schema.optional(Schema.String)
  })
)

const Token = Schema.Struct({ access_token: Schema.NonEmptyString, expires_in: Schema.Number })

const scope = "https://www.googleapis.com/auth/cloud-platform"
/** Seconds for which a signed request for a token is valid; Google accepts at most an hour. */
const validity = 3_600
/** A token is renewed this many milliseconds before it expires. */
const margin = 60_000

/** Returns a source of valid tokens, which requests one when there is none. */
export const serviceAccountToken = Effect.fnUntraced(function* (engine: string, file: string) {
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.withTracerDisabledWhen(() => true))
  const unavailable = (detail: string) => new EngineUnavailable({ engine, detail })
  const oneAtATime = yield* Effect.makeSemaphore(1)
  let token: { readonly value: Redacted.Redacted; readonly until: number } | undefined

  const requested = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (token !== undefined && now < token.until - margin) return token.value
    const text = yield* Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: () => unavailable(`cannot read the key file that GOOGLE_APPLICATION_CREDENTIALS names: ${file}`)
    })
    const key = yield* Schema.decodeUnknown(KeyFile)(text).pipe(
      Effect.mapError(() =>
        unavailable(`${file} is not a service account's key file; expected JSON with type service_account`)
      )
    )
    const address = key.token_uri ?? "https://oauth2.googleapis.com/token"
    const assertion = yield* Effect.try({
      try: () => signedClaims(key, address, Math.floor(now / 1000)),
      catch: () => unavailable(`${file} has an invalid private_key`)
    })
    const body = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion })
    const answer = yield* client
      .execute(
        HttpClientRequest.bodyText(
          HttpClientRequest.post(address),
          body.toString(),
          "application/x-www-form-urlencoded"
        )
      )
      .pipe(
        Effect.flatMap((response) => boundedBody(engine, response, 65_536)),
        Effect.scoped,
        Effect.timeout("30 seconds"),
        Effect.mapError(() => unavailable(`no access token from ${new URL(address).host}`))
      )
    const json = Option.getOrUndefined(parsedJson(answer))
    const granted = yield* Schema.decodeUnknown(Token)(json).pipe(
      Effect.mapError(() =>
        unavailable(
          `${new URL(address).host} returned no access token: ${textAt(json, "error_description") ?? textAt(json, "error") ?? "unexpected response"}`
        )
      )
    )
    const value = Redacted.make(granted.access_token)
    token = { value, until: now + granted.expires_in * 1000 }
    return value
  })
  return { token: oneAtATime.withPermits(1)(requested) }
})

/** Returns the claims as a JSON Web Token, signed with RS256 (RFC 7515, RFC 7523). */
const signedClaims = (key: typeof KeyFile.Type, audience: string, now: number): string => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const head = {
    alg: "RS256",
    typ: "JWT",
    ...(key.private_key_id === undefined ? {} : { kid: key.private_key_id })
  }
  const claims = { iss: key.client_email, scope, aud: audience, iat: now, exp: now + validity }
  const content = `${encoded(head)}.${encoded(claims)}`
  return `${content}.${createSign("RSA-SHA256").update(content).sign(key.private_key, "base64url")}`
}
