/** ElevenLabs' contract: https://elevenlabs.io/docs/api-reference/text-to-speech/convert-with-timestamps */
import { makeElevenLabs } from "../../../../src/engines/cloud/ElevenLabs.ts"
import { millis } from "../../../../src/domain/time/Units.ts"
import { base64, bytesOf, fieldsIn, json, jsonWith, must, type Provider, tone } from "./StandIn.ts"

const key = "xi-0123456789abcdef"
const voice = "21m00Tcm4TlvDq8ikWAM"

const refusal = (status: number, code: string, message: string) =>
  json({ detail: { status: code, message } }, status)

/** Every character lasts 100 ms; the audio is as long as its text. */
const answerOf = (text: string, audible = Array.from(text).length) => {
  const characters = Array.from(text)
  const alignment = {
    characters,
    character_start_times_seconds: characters.map((_, index) => index / 10),
    character_end_times_seconds: characters.map((_, index) => (index + 1) / 10)
  }
  return json({
    audio_base64: base64(bytesOf(tone(audible * 100))),
    alignment,
    normalized_alignment: alignment
  })
}

const voices = (page: number) => ({
  voices:
    page === 0
      ? [
          {
            voice_id: voice,
            name: "Rachel",
            category: "premade",
            labels: { accent: "american", gender: "female", language: "en" },
            verified_languages: [
              { language: "vi", model_id: "eleven_v3", accent: "standard", locale: "vi-VN" }
            ]
          },
          { voice_id: "oldVoice", name: null, labels: { language: "English" }, verified_languages: null }
        ]
      : [{ voice_id: "c/../d", name: "Cloned", labels: {} }],
  has_more: page === 0,
  total_count: 3,
  next_page_token: page === 0 ? "page two&more" : null
})

export const elevenLabs: Provider = {
  name: "ElevenLabs",
  env: { ELEVENLABS_API_KEY: key },
  make: (settings) => makeElevenLabs({ ...settings, seed: 7, stability: 0.4 }),
  isSpeech: ({ path }) => path.includes("/text-to-speech/"),
  answer: ({ method, path, headers, body }) => {
    must(headers["xi-api-key"] === key, "xi-api-key is missing or wrong")
    must(headers["authorization"] === undefined && headers["traceparent"] === undefined, "a foreign header")
    if (path.startsWith("/v2/voices?")) {
      must(method === "GET", "voices are read with GET")
      const query = new URLSearchParams(path.slice(path.indexOf("?")))
      must(Number(query.get("page_size")) <= 100, "page_size is over 100")
      const token = query.get("next_page_token")
      must(token === null || token === "page two&more", "next_page_token is not the one that was sent")
      return json(voices(token === null ? 0 : 1))
    }
    must(method === "POST", "speech is created with POST")
    const [, id, query] = /^\/v1\/text-to-speech\/([^/?]+)\/with-timestamps\?(.*)$/u.exec(path) ?? []
    must(id !== undefined && query === "output_format=pcm_24000", "unknown path")
    must(headers["content-type"] === "application/json", "content-type is not application/json")
    const fields = [
      "text",
      "model_id",
      "language_code",
      "voice_settings",
      "seed",
      "previous_text",
      "next_text"
    ]
    const sent = jsonWith(body, fields)
    must(typeof sent["text"] === "string" && sent["text"].length <= 10_000, "text")
    must(
      sent["model_id"] !== "eleven_multilingual_v2" || sent["language_code"] === undefined,
      "language_code"
    )
    const { speed = 1 } = jsonWith(JSON.stringify(sent["voice_settings"] ?? {}), ["stability", "speed"])
    must(Number(speed) >= 0.7 && Number(speed) <= 1.2, "voice_settings.speed")
    return answerOf(String(sent["text"]))
  },
  voices: [voice, "oldVoice", "c/../d"],
  speech: {
    voice,
    text: "Xin chào! It is me.",
    request: {
      path: `/v1/text-to-speech/${voice}/with-timestamps?output_format=pcm_24000`,
      body: {
        text: "Xin chào! It is me.",
        model_id: "eleven_multilingual_v2",
        voice_settings: { stability: 0.4 },
        seed: 7
      }
    },
    timing: {
      words: [
        { text: "Xin", start: millis(0), end: millis(300) },
        { text: "chào!", start: millis(400), end: millis(900) },
        { text: "It", start: millis(1000), end: millis(1200) },
        { text: "is", start: millis(1300), end: millis(1500) },
        { text: "me.", start: millis(1600), end: millis(1900) }
      ],
      sentences: [
        { text: "Xin chào!", start: millis(0), end: millis(900) },
        { text: "It is me.", start: millis(1000), end: millis(1900) }
      ]
    }
  },
  extremes: {
    most: { stability: 0.4, speed: 1.2 },
    least: { stability: 0.4, speed: 0.7 },
    in: ({ body }) => fieldsIn(body)["voice_settings"]
  },
  longText: "word ".repeat(2_001),
  refusals: {
    key: refusal(401, "invalid_api_key", `Invalid API key ${key}`),
    quota: refusal(401, "quota_exceeded", "You have 3 credits remaining, while 19 credits are required"),
    tooLong: refusal(400, "max_character_limit_exceeded", "exceeds the character limit"),
    busy: refusal(429, "too_many_concurrent_requests", "Too many concurrent requests"),
    crashed: refusal(500, "internal_error", "An error occurred"),
    down: { status: 503, body: "upstream connect error" },
    gone: refusal(404, "voice_not_found", "A voice with that voice_id was not found"),
    truncated: answerOf("Xin chào! It is me.", 10)
  }
}
