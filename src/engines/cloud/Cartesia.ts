/**
 * Cartesia: `POST /tts/sse`, a stream of events with audio and the times of words.
 *
 * https://docs.cartesia.ai/api-reference/tts/sse
 */
import * as Sse from "@effect/experimental/Sse"
import { Effect, Option, Schema } from "effect"
import { toneAmong } from "../../domain/values/Tone.ts"
import { decodeForeign } from "../../settings/ForeignValue.ts"
import { SpeechFailed } from "../Engine.ts"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { cloudRate, decodedAudio, pcmSpeech, timedSpeech } from "./shared/CloudAudio.ts"
import { postJson } from "./shared/CloudClient.ts"
import { clamped, makeCloudEngine, rounded } from "./shared/CloudEngine.ts"
import { type CloudFault, type CloudReading, type CloudRefusal, faultCodes } from "./shared/CloudFailures.ts"
import type { CloudOptions, CartesiaSettings } from "./shared/CloudSettings.ts"
import type { TimedPart } from "./shared/CloudTiming.ts"
import { pagedVoices, type VoiceFields } from "./shared/CloudVoices.ts"
import { fieldAt, listAt, textAt, textsAt } from "./shared/JsonFields.ts"
import { makeKeyedClient } from "./shared/KeyedClient.ts"

/** The interface's version: since this one, errors are JSON. */
const version = "2026-03-01"

export const makeCartesia = Effect.fnUntraced(function* (
  settings: CloudOptions<typeof CartesiaSettings.Type>
) {
  const { name, model = "sonic-3" } = settings
  const { client, obstacle } = yield* makeKeyedClient(settings, {
    keyVariable: "CARTESIA_API_KEY",
    baseUrl: "https://api.cartesia.ai",
    headers: (key) => ({ authorization: `Bearer ${key}`, "Cartesia-Version": version }),
    read
  })
  return yield* makeCloudEngine(settings, {
    controls: ["rate", "volume"],
    model,
    // Cartesia documents no limit; 5,000 is a conservative guess.
    limit: { unit: "characters", most: 5_000 },
    concurrency: 2,
    obstacle,
    list: pagedVoices(client, "/voices?limit=100", fields, "starting_after", (page) =>
      fieldAt(page, "has_more") === false ? undefined : textAt(listAt(page, "data").at(-1), "id")
    ),
    speak: Effect.fnUntraced(function* ({ text, voice, language, rate, volume, tone }) {
      const emotion = toneAmong(tone, emotions)
      const shape = {
        ...(rate === 1 ? {} : { speed: rounded(clamped(rate, 0.6, 1.5)) }),
        ...(volume === 1 ? {} : { volume: rounded(clamped(volume, 0.5, 2)) }),
        ...(emotion === undefined ? {} : { emotion })
      }
      const bytes = yield* client.send(
        postJson(
          "/tts/sse",
          {
            model_id: model,
            transcript: text,
            voice: { mode: "id", id: voice.id },
            ...(language === "" ? {} : { language: primaryLanguage(language) }),
            output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: cloudRate },
            add_timestamps: true,
            ...(Object.keys(shape).length === 0 ? {} : { generation_config: shape })
          },
          { accept: "text/event-stream" }
        )
      )
      const events = eventsIn(new TextDecoder().decode(bytes))
      for (const event of events)
        if (event.type === "error") return yield* client.refused(event.status_code, event)
      if (!events.some(({ type }) => type === "done")) {
        const detail = "the provider's stream of events ended before the speech was complete"
        return yield* new SpeechFailed({ engine: name, reason: "bad-output", detail })
      }
      const chunks: Array<Uint8Array> = []
      for (const event of events)
        if (event.type === "chunk") chunks.push(yield* decodedAudio(name, "base64", event.data))
      const speech = yield* pcmSpeech(name, new Uint8Array(Buffer.concat(chunks)), cloudRate)
      const words = events.flatMap((event) => (event.type === "timestamps" ? [event.word_timestamps] : []))
      const parts = partsOf(text, words)
      return yield* timedSpeech(name, speech, { text, language }, parts, parts.at(-1)?.start)
    })
  })
})

/** The emotions that its documentation calls the most reliable ones. */
const emotions = ["neutral", "angry", "excited", "content", "sad", "scared"]

const codes = faultCodes({
  busy: "concurrency_limited rate_limited",
  quota: "quota_exceeded credits_exhausted insufficient_credits",
  "unknown-voice": "voice_not_found",
  "too-long": "transcript_too_long",
  key: "unauthorized invalid_api_key"
})

/** Errors without a code are distinguished by their words. */
const faultIn = (status: number, code: string | undefined, words: string): CloudFault | undefined => {
  const known = codes.get(code ?? "")
  if (known !== undefined) return known
  if (status === 404 && /voice/iu.test(words)) return "unknown-voice"
  if (status === 400 && /too long|exceeds/iu.test(words)) return "too-long"
  return undefined
}

const read = ({ status, json }: CloudRefusal): CloudReading => {
  const code = textAt(json, "error_code")
  const message = textAt(json, "message") ?? textAt(json, "title")
  return { code, message, fault: faultIn(status, code, `${textAt(json, "title") ?? ""} ${message ?? ""}`) }
}

const WordTimes = Schema.Struct({
  words: Schema.Array(Schema.String),
  start: Schema.Array(Schema.Number),
  end: Schema.Array(Schema.Number)
})
const StreamEvent = Schema.parseJson(
  Schema.Union(
    Schema.Struct({ type: Schema.Literal("chunk"), data: Schema.String }),
    Schema.Struct({ type: Schema.Literal("timestamps"), word_timestamps: WordTimes }),
    Schema.Struct({ type: Schema.Literal("done") }),
    Schema.Struct({
      type: Schema.Literal("error"),
      status_code: Schema.optionalWith(Schema.Number, { default: () => 500 }),
      error_code: Schema.optional(Schema.NullOr(Schema.String)),
      title: Schema.optional(Schema.String),
      message: Schema.optional(Schema.String)
    })
  )
)
const decodeEvent = decodeForeign(StreamEvent)

/** Reads the events of a stream; skips all kinds but those above. */
const eventsIn = (stream: string): ReadonlyArray<typeof StreamEvent.Type> => {
  const found: Array<typeof StreamEvent.Type> = []
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event") found.push(...Option.toArray(decodeEvent(event.data)))
  })
  // The last event may lack the empty line after it.
  parser.feed(`${stream}\n\n`)
  return found
}

/** Finds the words, one after the other, in the text. */
const partsOf = (text: string, groups: ReadonlyArray<typeof WordTimes.Type>): ReadonlyArray<TimedPart> => {
  const parts: Array<TimedPart> = []
  let at = 0
  for (const { words, start, end } of groups) {
    for (const [index, word] of words.entries()) {
      const from = word.trim() === "" ? -1 : text.indexOf(word.trim(), at)
      const [begin, finish] = [start[index], end[index]]
      if (from < 0 || begin === undefined || finish === undefined) continue
      at = from + word.trim().length
      parts.push({ from, to: at, start: begin * 1000, end: finish * 1000 })
    }
  }
  return parts
}

const fields: VoiceFields = {
  list: "data",
  id: "id",
  name: "name",
  languages: (voice) => textsAt(voice, "language"),
  gender: "gender"
}
