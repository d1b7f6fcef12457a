/**
 * Google Cloud Text-to-Speech: `POST /v1/text:synthesize`. Voices that read SSML report the times of marks before each
 * word, by version v1beta1.
 *
 * https://cloud.google.com/text-to-speech/docs/reference/rest/v1beta1/text/synthesize
 */
import { Effect, Option, Redacted, Schema, Clock } from "effect"
import { EngineUnavailable } from "../Engine.ts"
import { readGoogleError } from "./GoogleErrors.ts"
import { cloudRate, decodedAudio, speechLength, timedSpeech, wavSpeech } from "./shared/CloudAudio.ts"
import { makeCloudClient, postJson } from "./shared/CloudClient.ts"
import { clamped, makeCloudEngine, rounded, type CloudSpeech } from "./shared/CloudEngine.ts"
import { secretIn, settingIn, type CloudOptions, type GoogleSettings } from "./shared/CloudSettings.ts"
import { wordSpans } from "./shared/CloudTiming.ts"
import { type VoiceFields, voicesIn, withList } from "./shared/CloudVoices.ts"
import { decibels, xmlText } from "./shared/Ssml.ts"
import { textLength } from "./shared/TextLimit.ts"
import { createSign } from "node:crypto"
import { readFile } from "node:fs/promises"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { boundedBody, parsedJson } from "../ResponseBody.ts"
import { textAt, textsAt } from "./shared/JsonFields.ts"

/** Maximum bytes of a text, or of SSML. */
const maxBytes = 5_000

export const makeGoogleSpeech = Effect.fnUntraced(function* (
  settings: CloudOptions<typeof GoogleSettings.Type>
) {
  const { name, keyVariable = "GOOGLE_API_KEY" } = settings
  const key = yield* secretIn(keyVariable)
  const file = Option.isSome(key) ? undefined : yield* settingIn("GOOGLE_APPLICATION_CREDENTIALS")
  const account = file === undefined ? undefined : yield* serviceAccountToken(name, file)
  const client = yield* makeCloudClient({
    name,
    baseUrl: settings.baseUrl ?? "https://texttospeech.googleapis.com",
    timeout: settings.timeout,
    authorize: () =>
      Option.match(key, {
        onSome: (secret) => Effect.succeed({ "x-goog-api-key": Redacted.value(secret) }),
        onNone: () =>
          account === undefined
            ? Effect.succeed<Readonly<Record<string, string>>>({})
            : Effect.map(account.token, (value) => ({ authorization: `Bearer ${Redacted.value(value)}` }))
      }),
    secrets: Option.toArray(key),
    read: readGoogleError
  })

  return yield* makeCloudEngine(settings, {
    controls: ["rate", "volume", "pitch"],
    model: "google-tts",
    limit: { unit: "bytes", most: maxBytes },
    concurrency: 4,
    obstacle:
      Option.isNone(key) && file === undefined
        ? `its key is missing; set the environment variable ${keyVariable} to an API key, or GOOGLE_APPLICATION_CREDENTIALS to a service account's key file`
        : undefined,
    list: Effect.map(client.json({ method: "GET", path: "/v1/voices" }, withList("voices")), (json) =>
      voicesIn(json, fields)
    ),
    speak: Effect.fnUntraced(function* (wanted) {
      const { text, voice, language } = wanted
      const words = wordSpans(text, language)
      const marked = `<speak>${words
        .map(({ from, text: word }, index) => {
          const gap = text.slice(words[index - 1]?.to ?? 0, from)
          return `${gap}<mark name="${index}"/>${xmlText(word)}`
        })
        .join("")}</speak>`
      // Marks make a text several times as long, so a long text is sent without them.
      const hasMarks =
        settings.wordTimes !== false && readsMarks(voice.id) && textLength(marked, "bytes") <= maxBytes
      const answer = yield* client.json(
        postJson(`/${hasMarks ? "v1beta1" : "v1"}/text:synthesize`, {
          input: hasMarks ? { ssml: marked } : { text },
          voice: {
            languageCode: voice.languages[0] ?? voice.id.split("-").slice(0, 2).join("-"),
            name: voice.id
          },
          audioConfig: audioConfig(wanted),
          ...(hasMarks ? { enableTimePointing: ["SSML_MARK"] } : {})
        }),
        Answer
      )
      const bytes = yield* decodedAudio(name, "base64", answer.audioContent)
      const speech = yield* wavSpeech(name, bytes)
      const times = new Map(
        (answer.timepoints ?? []).map(({ markName, timeSeconds }) => [
          Number(markName),
          (timeSeconds ?? 0) * 1000
        ])
      )
      const length = speechLength(speech)
      const parts = words.flatMap(({ from, to }, index) => {
        const start = times.get(index)
        return start === undefined ? [] : [{ from, to, start, end: times.get(index + 1) ?? length }]
      })
      return yield* timedSpeech(name, speech, { text, language }, parts, Math.max(0, ...times.values()))
    })
  })
})

/** Newer kinds of voices read no SSML, or no marks. */
const readsMarks = (voice: string): boolean => !/Chirp|Journey|Studio|Gemini|^[A-Z][a-z]+$/u.test(voice)

/** Newer kinds of voices have no pitch. */
const audioConfig = ({ voice, rate, volume, pitch }: CloudSpeech) => ({
  audioEncoding: "LINEAR16",
  sampleRateHertz: cloudRate,
  ...(rate === 1 ? {} : { speakingRate: rounded(clamped(rate, 0.25, 2)) }),
  ...(volume === 1 ? {} : { volumeGainDb: rounded(clamped(decibels(volume), -96, 10)) }),
  ...(pitch === 0 || !readsMarks(voice.id) ? {} : { pitch: rounded(clamped(pitch, -20, 20)) })
})

const Answer = Schema.Struct({
  audioContent: Schema.String,
  timepoints: Schema.optional(
    // A field of zero is left out of JSON.
    Schema.Array(Schema.Struct({ markName: Schema.String, timeSeconds: Schema.optional(Schema.Number) }))
  )
})

const fields: VoiceFields = {
  list: "voices",
  id: "name",
  name: "name",
  languages: (voice) => textsAt(voice, "languageCodes"),
  gender: "ssmlGender"
}

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
const serviceAccountToken = Effect.fnUntraced(function* (engine: string, file: string) {
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
