/**
 * ElevenLabs: `POST /v1/text-to-speech/{voice}/with-timestamps`. The response has the time of every character.
 *
 * https://elevenlabs.io/docs/api-reference/text-to-speech/convert-with-timestamps
 */
import { Effect, Schema } from "effect"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { cloudRate, decodedAudio, pcmSpeech, timedSpeech } from "./shared/CloudAudio.ts"
import { postJson } from "./shared/CloudClient.ts"
import { clamped, makeCloudEngine, rounded } from "./shared/CloudEngine.ts"
import { type CloudReading, type CloudRefusal, faultCodes } from "./shared/CloudFailures.ts"
import type { CloudOptions, ElevenLabsSettings } from "./shared/CloudSettings.ts"
import type { TimedPart } from "./shared/CloudTiming.ts"
import { pagedVoices, type VoiceFields } from "./shared/CloudVoices.ts"
import { fieldAt, listAt, textAt, textsAt } from "./shared/JsonFields.ts"
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
    list: pagedVoices(
      client,
      "/v2/voices?page_size=100&include_total_count=false",
      fields,
      "next_page_token",
      (page) => (fieldAt(page, "has_more") === true ? textAt(page, "next_page_token") : undefined)
    ),
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
      const timed = yield* timedSpeech(name, speech, { text, language }, parts, parts.at(-1)?.end)
      // The times are used only if they belong to the text that was sent.
      return alignment?.characters.join("") === `${tag}${text}` ? timed : speech
    })
  })
})

const codes = faultCodes({
  key: "invalid_api_key missing_permissions detected_unusual_activity",
  quota: "quota_exceeded payment_required",
  "too-long": "max_character_limit_exceeded text_too_long",
  "unknown-voice": "voice_not_found voice_does_not_exist invalid_uid",
  busy: "too_many_concurrent_requests concurrent_limit_exceeded rate_limit_exceeded system_busy",
  refused: "content_against_policy"
})

/** Errors have a code in `detail.status`, or in `detail.code` in newer responses. */
const read = ({ json }: CloudRefusal): CloudReading => {
  const found = textsAt(json, "detail.code", "detail.status")
  const code = found.find((each) => codes.has(each)) ?? found[0]
  return {
    code,
    fault: codes.get(code ?? ""),
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

const fields: VoiceFields = {
  list: "voices",
  id: "voice_id",
  name: "name",
  languages: (voice) => {
    const verified = listAt(voice, "verified_languages").flatMap(
      (each) => textAt(each, "locale") ?? textAt(each, "language") ?? []
    )
    return [...new Set([...textsAt(voice, "labels.language"), ...verified])].filter(isTag)
  },
  gender: "labels.gender"
}

/** Older voices have labels such as "English" or "american": those are not language tags. */
const isTag = (language: string): boolean => /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u.test(language)
