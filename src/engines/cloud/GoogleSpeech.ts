/**
 * Google Cloud Text-to-Speech: `POST /v1/text:synthesize`. Voices that read SSML report the times of marks before each
 * word, by version v1beta1.
 *
 * https://cloud.google.com/text-to-speech/docs/reference/rest/v1beta1/text/synthesize
 */
import { Effect, Option, Redacted, Schema } from "effect"
import type { EngineVoice } from "../Engine.ts"
import { serviceAccountToken } from "./GoogleCredentials.ts"
import { readGoogleError } from "./GoogleErrors.ts"
import {
  checkComplete,
  cloudRate,
  decodedAudio,
  speechLength,
  wavSpeech,
  withTiming
} from "./shared/CloudAudio.ts"
import { makeCloudClient, postJson } from "./shared/CloudClient.ts"
import { clamped, type CloudSpeech, makeCloudEngine, rounded } from "./shared/CloudEngine.ts"
import { type CloudSettings, secretIn, settingIn } from "./shared/CloudSettings.ts"
import { timingOf, wordSpans } from "./shared/CloudTiming.ts"
import { genderOf } from "./shared/CloudVoices.ts"
import { decibels, xmlText } from "./shared/Ssml.ts"
import { textLength } from "./shared/TextLimit.ts"

export interface GoogleSettings extends CloudSettings {
  /** Whether to request the times of words, where the voice has them; default true. Marks are free of charge. */
  readonly wordTimes?: boolean
}

/** Maximum bytes of a text, or of SSML. */
const mostBytes = 5_000

export const makeGoogleSpeech = Effect.fnUntraced(function* (settings: GoogleSettings) {
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
    limit: { unit: "bytes", most: mostBytes },
    concurrency: 4,
    obstacle:
      Option.isNone(key) && file === undefined
        ? `its key is missing; set the environment variable ${keyVariable} to an API key, or GOOGLE_APPLICATION_CREDENTIALS to a service account's key file`
        : undefined,
    list: Effect.map(client.json({ method: "GET", path: "/v1/voices" }, Voices), ({ voices }) =>
      voices.map(voiceOf)
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
        settings.wordTimes !== false && readsMarks(voice.id) && textLength(marked, "bytes") <= mostBytes
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
      yield* checkComplete(name, length, Math.max(0, ...times.values()))
      const parts = words.flatMap(({ from, to }, index) => {
        const start = times.get(index)
        return start === undefined ? [] : [{ from, to, start, end: times.get(index + 1) ?? length }]
      })
      return withTiming(speech, timingOf(text, language, parts, length))
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

const Voices = Schema.Struct({
  voices: Schema.Array(
    Schema.Struct({
      name: Schema.NonEmptyString,
      languageCodes: Schema.Array(Schema.String),
      ssmlGender: Schema.optional(Schema.String)
    })
  )
})

const voiceOf = ({
  name,
  languageCodes,
  ssmlGender
}: (typeof Voices.Type)["voices"][number]): EngineVoice => ({
  id: name,
  name,
  languages: languageCodes,
  ...genderOf(ssmlGender)
})
