/**
 * ElevenLabs: `POST /v1/text-to-speech/{voice}/with-timestamps`. The response has the time of every character.
 *
 * https://elevenlabs.io/docs/api-reference/text-to-speech/convert-with-timestamps
 */
import { Effect, Schema } from "effect"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import type { EngineVoice } from "../Engine.ts"
import {
  checkComplete,
  cloudRate,
  decodedAudio,
  pcmSpeech,
  speechLength,
  withTiming
} from "./shared/CloudAudio.ts"
import { postJson } from "./shared/CloudClient.ts"
import { clamped, makeCloudEngine, rounded } from "./shared/CloudEngine.ts"
import type { CloudFault, CloudReading, CloudRefusal } from "./shared/CloudFailures.ts"
import type { CloudOptions, ElevenLabsSettings } from "./shared/CloudSettings.ts"
import { type TimedPart, timingOf } from "./shared/CloudTiming.ts"
import { genderOf, pagedVoices } from "./shared/CloudVoices.ts"
import { textAt } from "./shared/JsonFields.ts"
import { makeKeyedClient } from "./shared/KeyedClient.ts"

/** Maximum characters of a request, by the beginning of the model's name. Unknown models have the lowest limit. */
const limits: ReadonlyArray<readonly [model: string, most: number]> = [
  ["eleven_flash_v2_5", 40_000],
  ["eleven_turbo_v2_5", 40_000],
  ["eleven_flash_v2", 30_000],
  ["eleven_turbo_v2", 30_000],
  ["eleven_multilingual_", 10_000],
  ["eleven_monolingual_", 10_000]
]
const lowestLimit = 5_000

export const makeElevenLabs = Effect.fnUntraced(function* (
  settings: CloudOptions<typeof ElevenLabsSettings.Type>
) {
  const { name, model = "eleven_multilingual_v2" } = settings
  const { client, obstacle } = yield* makeKeyedClient(settings, {
    keyVariable: "ELEVENLABS_API_KEY",
    baseUrl: "https://api.elevenlabs.io",
    headers: (key) => ({ "xi-api-key": key }),
    read
  })
  const list = pagedVoices((token) => {
    const next = token === undefined ? "" : `&next_page_token=${encodeURIComponent(token)}`
    const path = `/v2/voices?page_size=100&include_total_count=false${next}`
    return Effect.map(
      client.json({ method: "GET", path }, VoicePage),
      ({ voices, has_more, next_page_token }) => ({
        voices: voices.map(voiceOf),
        next: has_more === true ? (next_page_token ?? undefined) : undefined
      })
    )
  })
  // Version 3 rejects the texts around a request; version 2 multilingual rejects a language.
  const isThird = model.startsWith("eleven_v3")
  const takesLanguage = !model.includes("multilingual_v2")

  return yield* makeCloudEngine(settings, {
    controls: ["rate"],
    model,
    limit: {
      unit: "characters",
      most: limits.find(([start]) => model.startsWith(start))?.[1] ?? lowestLimit
    },
    // The free plan allows two requests at once, of the larger models.
    concurrency: 2,
    obstacle,
    list,
    speak: Effect.fnUntraced(function* ({ text, voice, language, rate, before, after, tone }) {
      const { seed, stability, similarityBoost, style } = settings
      // Only version 3 reads tags; others would say them.
      const tag = isThird && tone !== undefined ? `[${tone}] ` : ""
      const shape = {
        ...(stability === undefined ? {} : { stability }),
        ...(similarityBoost === undefined ? {} : { similarity_boost: similarityBoost }),
        ...(style === undefined ? {} : { style }),
        ...(rate === 1 ? {} : { speed: rounded(clamped(rate, 0.7, 1.2)) })
      }
      const request = postJson(
        `/v1/text-to-speech/${encodeURIComponent(voice.id)}/with-timestamps?output_format=pcm_24000`,
        {
          text: `${tag}${text}`,
          model_id: model,
          ...(takesLanguage && language !== "" ? { language_code: primaryLanguage(language) } : {}),
          ...(Object.keys(shape).length === 0 ? {} : { voice_settings: shape }),
          ...(seed === undefined ? {} : { seed }),
          ...(!isThird && before !== undefined ? { previous_text: before } : {}),
          ...(!isThird && after !== undefined ? { next_text: after } : {})
        }
      )
      const { audio_base64, alignment } = yield* client.json(request, TimedAudio)
      const bytes = yield* decodedAudio(name, "base64", audio_base64)
      const speech = yield* pcmSpeech(name, bytes, cloudRate)
      const parts = alignment === undefined || alignment === null ? [] : partsOf(alignment, tag.length)
      yield* checkComplete(name, speechLength(speech), parts.at(-1)?.end)
      // The times are used only if they belong to the text that was sent.
      return alignment?.characters.join("") === `${tag}${text}`
        ? withTiming(speech, timingOf(text, language, parts, speechLength(speech)))
        : speech
    })
  })
})

const codes: Readonly<Record<string, CloudFault>> = {
  invalid_api_key: "key",
  missing_permissions: "key",
  detected_unusual_activity: "key",
  quota_exceeded: "quota",
  payment_required: "quota",
  max_character_limit_exceeded: "too-long",
  text_too_long: "too-long",
  voice_not_found: "unknown-voice",
  voice_does_not_exist: "unknown-voice",
  invalid_uid: "unknown-voice",
  too_many_concurrent_requests: "busy",
  concurrent_limit_exceeded: "busy",
  rate_limit_exceeded: "busy",
  system_busy: "busy",
  content_against_policy: "refused"
}

/** Errors have a code in `detail.status`, or in `detail.code` in newer responses. */
const read = ({ json }: CloudRefusal): CloudReading => {
  const found = [textAt(json, "detail.code"), textAt(json, "detail.status")].flatMap((code) => code ?? [])
  const code = found.find((each) => codes[each] !== undefined) ?? found[0]
  return {
    code,
    fault: code === undefined ? undefined : codes[code],
    message: textAt(json, "detail.message") ?? textAt(json, "detail.0.msg")
  }
}

const Alignment = Schema.Struct({
  characters: Schema.Array(Schema.String),
  character_start_times_seconds: Schema.Array(Schema.Number),
  character_end_times_seconds: Schema.Array(Schema.Number)
})
const TimedAudio = Schema.Struct({
  audio_base64: Schema.String,
  alignment: Schema.optional(Schema.NullOr(Alignment))
})

/** Returns the timed parts of the text after a tag of `behind` characters. */
const partsOf = (alignment: typeof Alignment.Type, behind: number): ReadonlyArray<TimedPart> => {
  let at = -behind
  return alignment.characters.flatMap((character, index) => {
    const from = at
    at += character.length
    const start = alignment.character_start_times_seconds[index]
    const end = alignment.character_end_times_seconds[index]
    // The time of a space includes the pause after a word.
    return from < 0 || start === undefined || end === undefined || character.trim() === ""
      ? []
      : [{ from, to: at, start: start * 1000, end: end * 1000 }]
  })
}

const Text = Schema.optional(Schema.NullOr(Schema.String))
const Voice = Schema.Struct({
  voice_id: Schema.NonEmptyString,
  name: Text,
  labels: Schema.optional(Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown }))),
  verified_languages: Schema.optional(
    Schema.NullOr(Schema.Array(Schema.Struct({ language: Text, locale: Text })))
  )
})
const VoicePage = Schema.Struct({
  voices: Schema.Array(Voice),
  has_more: Schema.optional(Schema.Boolean),
  next_page_token: Text
})

const voiceOf = (voice: typeof Voice.Type): EngineVoice => {
  const verified = (voice.verified_languages ?? []).flatMap(
    ({ language, locale }) => locale ?? language ?? []
  )
  const own = textAt(voice.labels, "language")
  return {
    id: voice.voice_id,
    name: voice.name ?? voice.voice_id,
    languages: [...new Set([...(own === undefined ? [] : [own]), ...verified])].filter(isTag),
    ...genderOf(textAt(voice.labels, "gender"))
  }
}

/** Older voices have labels such as "English" or "american": those are not language tags. */
const isTag = (language: string): boolean => /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u.test(language)
