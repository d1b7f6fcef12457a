/**
 * MiniMax: `POST /v1/t2a_v2`. Errors have HTTP status 200 and a code in `base_resp`; audio is hexadecimal.
 *
 * https://platform.minimax.io/docs/api-reference/speech-t2a-http
 */
import { Effect, Schema } from "effect"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { toneAmong } from "../../domain/values/Tone.ts"
import { checkComplete, cloudRate, decodedAudio, pcmSpeech, speechLength } from "./shared/CloudAudio.ts"
import { postJson } from "./shared/CloudClient.ts"
import { clamped, makeCloudEngine, rounded } from "./shared/CloudEngine.ts"
import { type CloudReading, type CloudRefusal, faultCodes } from "./shared/CloudFailures.ts"
import type { CloudOptions, MiniMaxSettings } from "./shared/CloudSettings.ts"
import { voicesIn } from "./shared/CloudVoices.ts"
import { fieldAt, textAt } from "./shared/JsonFields.ts"
import { makeKeyedClient } from "./shared/KeyedClient.ts"

const languageNames = new Intl.DisplayNames(["en"], { type: "language" })

/** Languages by the names that MiniMax gives them, in requests and at the start of its voices' ids. */
const languages: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "ar bg cs da de el en es fi fr he hi hr hu id it ja ko ms nl pl pt ro ru sk sv th tr uk vi zh"
      .split(" ")
      .map((code) => [code, languageNames.of(code)])
  ),
  yue: "Chinese,Yue"
}

export const makeMiniMax = Effect.fnUntraced(function* (settings: CloudOptions<typeof MiniMaxSettings.Type>) {
  const { name, model = "speech-2.8-hd" } = settings
  const query = settings.groupId === undefined ? "" : `?GroupId=${encodeURIComponent(settings.groupId)}`
  const { client, obstacle } = yield* makeKeyedClient(settings, {
    keyVariable: "MINIMAX_API_KEY",
    baseUrl: "https://api.minimax.io",
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    read,
    isRefusal: (json) => (codeIn(json) ?? 0) !== 0
  })

  return yield* makeCloudEngine(settings, {
    controls: ["rate", "volume", "pitch"],
    model,
    limit: { unit: "characters", most: 9_999 },
    concurrency: 2,
    obstacle,
    list: Effect.map(
      client.json(postJson(`/v1/get_voice${query}`, { voice_type: "all" }), Schema.Object),
      (json) =>
        ["system_voice", "voice_cloning", "voice_generation"].flatMap((list) =>
          voicesIn(json, { list, id: "voice_id", name: "voice_name", languages: languagesOf })
        )
    ),
    speak: Effect.fnUntraced(function* ({ text, voice, language, rate, volume, pitch, tone }) {
      const emotion = toneAmong(tone, emotions)
      const answer = yield* client.json(
        postJson(`/v1/t2a_v2${query}`, {
          model,
          text,
          stream: false,
          language_boost: languages[primaryLanguage(language)] ?? "auto",
          voice_setting: {
            voice_id: voice.id,
            speed: rounded(clamped(rate, 0.5, 2)),
            vol: rounded(clamped(volume, 0.01, 10)),
            pitch: Math.round(clamped(pitch, -12, 12)),
            ...(emotion === undefined ? {} : { emotion })
          },
          audio_setting: { sample_rate: cloudRate, format: "pcm", channel: 1 }
        }),
        Answer
      )
      const bytes = yield* decodedAudio(name, "hex", answer.data?.audio)
      const speech = yield* pcmSpeech(name, bytes, cloudRate)
      yield* checkComplete(name, speechLength(speech), answer.extra_info?.audio_length)
      return speech
    })
  })
})

/** The emotions that all of its models have. */
const emotions = ["happy", "sad", "angry", "fearful", "disgusted", "surprised"]

const faults = faultCodes({
  crashed: "1000 1001 1013 1024 1033",
  busy: "1002 1039 1041",
  key: "1004 2049",
  quota: "1008 2056",
  refused: "1026 1027 1042",
  "unknown-voice": "2042 2054 20132"
})

const codeIn = (json: unknown): number | undefined => {
  const code = fieldAt(json, "base_resp.status_code")
  return typeof code === "number" ? code : undefined
}

/** Code 2013 means any invalid parameter: only the message names it. */
const read = ({ json }: CloudRefusal): CloudReading => {
  const code = codeIn(json)
  const message = textAt(json, "base_resp.status_msg")
  if (code === undefined || code === 0) return {}
  const invalid = /voice/iu.test(message ?? "")
    ? "unknown-voice"
    : /length|too long|exceed/iu.test(message ?? "")
      ? "too-long"
      : "refused"
  return {
    code: String(code),
    message,
    fault: faults.get(String(code)) ?? (code === 2013 ? invalid : "crashed")
  }
}

const Answer = Schema.Struct({
  data: Schema.optional(Schema.NullOr(Schema.Struct({ audio: Schema.optional(Schema.String) }))),
  extra_info: Schema.optional(Schema.NullOr(Schema.Struct({ audio_length: Schema.optional(Schema.Number) })))
})

/** The list names no languages; the ids of most system voices begin with one. */
const languagesOf = (voice: unknown): ReadonlyArray<string> => {
  const id = textAt(voice, "voice_id") ?? ""
  if (id.startsWith("Cantonese")) return ["yue"]
  const named = Object.entries(languages).find(
    ([, name]) => id.startsWith(`${name}_`) || id.startsWith(`${name} `)
  )
  return named === undefined ? [] : [named[0]]
}
