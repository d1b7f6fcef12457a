/**
 * Cartesia: `POST /tts/sse`, a stream of events with audio and the times of words.
 *
 * https://docs.cartesia.ai/api-reference/tts/sse
 */
import * as Sse from "@effect/experimental/Sse"
import { Effect, Option, Schema } from "effect"
import { toneAmong } from "../../domain/values/Tone.ts"
import { decodeForeign } from "../../settings/ForeignValue.ts"
import { type EngineVoice, SpeechFailed } from "../Engine.ts"
import { primaryLanguage } from "../../domain/values/Ids.ts"
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
import type { CloudOptions, CartesiaSettings } from "./shared/CloudSettings.ts"
import { type TimedPart, timingOf } from "./shared/CloudTiming.ts"
import { genderOf, pagedVoices } from "./shared/CloudVoices.ts"
import { textAt } from "./shared/JsonFields.ts"
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
  const list = pagedVoices((last) => {
    const after = last === undefined ? "" : `&starting_after=${encodeURIComponent(last)}`
    return Effect.map(
      client.json({ method: "GET", path: `/voices?limit=100${after}` }, VoicePage),
      ({ data, has_more }) => ({
        voices: data.map(voiceOf),
        next: has_more === false ? undefined : data.at(-1)?.id
      })
    )
  })

  return yield* makeCloudEngine(settings, {
    controls: ["rate", "volume"],
    model,
    // Cartesia documents no limit; 5,000 is a conservative guess.
    limit: { unit: "characters", most: 5_000 },
    concurrency: 2,
    obstacle,
    list,
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
      const length = speechLength(speech)
      yield* checkComplete(name, length, parts.at(-1)?.start)
      return withTiming(speech, timingOf(text, language, parts, length))
    })
  })
})

/** The emotions that its documentation calls the most reliable ones. */
const emotions = ["neutral", "angry", "excited", "content", "sad", "scared"]

const codes: Readonly<Record<string, CloudFault>> = {
  concurrency_limited: "busy",
  rate_limited: "busy",
  quota_exceeded: "quota",
  credits_exhausted: "quota",
  insufficient_credits: "quota",
  voice_not_found: "unknown-voice",
  transcript_too_long: "too-long",
  unauthorized: "key",
  invalid_api_key: "key"
}

/** Errors without a code are distinguished by their words. */
const faultIn = (status: number, code: string | undefined, words: string): CloudFault | undefined => {
  const known = code === undefined ? undefined : codes[code]
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

const Voice = Schema.Struct({
  id: Schema.NonEmptyString,
  name: Schema.optional(Schema.String),
  language: Schema.optional(Schema.NullOr(Schema.String)),
  gender: Schema.optional(Schema.NullOr(Schema.String))
})
const VoicePage = Schema.Struct({ data: Schema.Array(Voice), has_more: Schema.optional(Schema.Boolean) })

const voiceOf = (voice: typeof Voice.Type): EngineVoice => ({
  id: voice.id,
  name: voice.name ?? voice.id,
  languages: voice.language === undefined || voice.language === null ? [] : [voice.language],
  ...genderOf(voice.gender)
})
