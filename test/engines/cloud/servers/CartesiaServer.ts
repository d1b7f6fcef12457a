/** Cartesia's contract: https://docs.cartesia.ai/api-reference/tts/sse */
import { millis } from "../../../../src/domain/time/Units.ts"
import { makeCartesia } from "../../../../src/engines/cloud/Cartesia.ts"
import {
  base64,
  bytesOf,
  fieldsIn,
  json,
  jsonWith,
  must,
  type Provider,
  type Reply,
  tone
} from "./StandIn.ts"

const key = "sk_car_0123456789abcdef"
const voice = "6ccbfb76-1fc6-48f7-b71d-91ac6298247b"

const refusal = (status: number, error_code: string | null, title: string, message: string) =>
  json({ error_code, title, message, request_id: "550e8400-e29b-41d4-a716-446655440000" }, status)

/** A stream of events, with Windows line ends, comments and several lines of data. */
export const stream = (...events: ReadonlyArray<Readonly<Record<string, unknown>>>): Reply => ({
  headers: { "content-type": "text/event-stream" },
  body: [
    ": ping\r\n\r\n",
    ...events.map((event) => `event: ${String(event["type"])}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`)
  ].join("")
})

const chunk = (ms: number) => ({
  type: "chunk",
  data: base64(bytesOf(tone(ms))),
  done: false,
  status_code: 206,
  step_time: 12.5
})
const timestamps = (
  words: ReadonlyArray<string>,
  start: ReadonlyArray<number>,
  end: ReadonlyArray<number>
) => ({
  type: "timestamps",
  word_timestamps: { words, start, end },
  done: false,
  status_code: 206
})
const done = { type: "done", done: true, status_code: 200 }

const sound = stream(
  chunk(600),
  timestamps(["Tea?"], [0.1], [0.5]),
  chunk(600),
  timestamps(["Tea", "please."], [0.6, 0.8], [0.8, 1.3]),
  { type: "phoneme_timestamps", phoneme_timestamps: {}, done: false, status_code: 206 },
  done
)

const voices = [
  { id: voice, name: "Katie", language: "en", gender: "feminine", is_public: true },
  { id: "other", name: "Linh", language: "vi", gender: null, is_public: true }
]

export const cartesia: Provider = {
  name: "Cartesia",
  env: { CARTESIA_API_KEY: key },
  make: makeCartesia,
  isSpeech: ({ path }) => path === "/tts/sse",
  answer: ({ method, path, headers, body }) => {
    must(headers["authorization"] === `Bearer ${key}`, "Authorization is missing or wrong")
    must(/^\d{4}-\d{2}-\d{2}$/u.test(headers["cartesia-version"] ?? ""), "Cartesia-Version")
    if (path.startsWith("/voices?")) {
      must(method === "GET", "voices are read with GET")
      const query = new URLSearchParams(path.slice(path.indexOf("?")))
      must(Number(query.get("limit")) <= 100, "limit is over 100")
      const after = voices.findIndex(({ id }) => id === query.get("starting_after"))
      return json({ data: voices.slice(after + 1, after + 2), has_more: after + 2 < voices.length })
    }
    must(method === "POST" && path === "/tts/sse", "unknown path")
    must(headers["content-type"] === "application/json", "content-type is not application/json")
    must(headers["accept"] === "text/event-stream", "Accept")
    const fields = "model_id transcript voice language output_format add_timestamps generation_config".split(
      " "
    )
    const sent = jsonWith(body, fields)
    must(JSON.stringify(sent["output_format"]).includes('"container":"raw"'), "SSE gives raw audio only")
    const {
      speed = 1,
      volume = 1,
      emotion = "sad"
    } = jsonWith(JSON.stringify(sent["generation_config"] ?? {}), ["emotion", "speed", "volume"])
    must(/^(?:neutral|angry|excited|content|sad|scared)$/u.test(String(emotion)), "emotion")
    must(Number(speed) >= 0.6 && Number(speed) <= 1.5, "speed")
    must(Number(volume) >= 0.5 && Number(volume) <= 2, "volume")
    return sound
  },
  voices: [voice, "other"],
  speech: {
    voice,
    text: "Tea? Tea please.",
    request: {
      path: "/tts/sse",
      body: {
        model_id: "sonic-3",
        transcript: "Tea? Tea please.",
        voice: { mode: "id", id: voice },
        language: "en",
        output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: 24_000 },
        add_timestamps: true
      }
    },
    timing: {
      words: [
        { text: "Tea?", start: millis(100), end: millis(500) },
        { text: "Tea", start: millis(600), end: millis(800) },
        // This word ends after the audio.
        { text: "please.", start: millis(800), end: millis(1200) }
      ],
      sentences: [
        { text: "Tea?", start: millis(100), end: millis(500) },
        { text: "Tea please.", start: millis(600), end: millis(1200) }
      ]
    }
  },
  extremes: {
    most: { speed: 1.5, volume: 2 },
    least: { speed: 0.6, volume: 0.5 },
    in: ({ body }) => fieldsIn(body)["generation_config"]
  },
  longText: "word ".repeat(1_001),
  refusals: {
    key: refusal(401, null, "Unauthorized", `Invalid API key: ${key}`),
    quota: refusal(402, null, "Quota exceeded", "You have used all credits of your plan."),
    tooLong: refusal(400, null, "Invalid transcript", "The transcript is too long."),
    busy: refusal(
      429,
      "concurrency_limited",
      "Too many concurrent requests",
      "You have exceeded your plan's limit."
    ),
    crashed: refusal(500, null, "Internal error", "Something went wrong."),
    down: { status: 503, body: "" },
    gone: refusal(404, null, "Voice not found", "There is no voice with this id."),
    truncated: stream(chunk(600))
  }
}
