/**
 * Gemini's speech models: `POST /v1beta/models/{model}:generateContent` with audio as the response's only modality.
 *
 * https://ai.google.dev/gemini-api/docs/speech-generation
 */
import { Effect, Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"
import { type EngineVoice, SpeechFailed } from "../Engine.ts"
import { readGoogleError } from "./GoogleErrors.ts"
import { cloudRate, decodedAudio, pcmSpeech, wavSpeech } from "./shared/CloudAudio.ts"
import { postJson } from "./shared/CloudClient.ts"
import { makeCloudEngine } from "./shared/CloudEngine.ts"
import type { CloudOptions, GeminiSettings } from "./shared/CloudSettings.ts"
import { makeKeyedClient } from "./shared/KeyedClient.ts"

/** The prebuilt voices. They speak every language of the model. */
const names =
  "Zephyr Puck Charon Kore Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba Despina Erinome Algenib Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat"
const voices: ReadonlyArray<EngineVoice> = names.split(" ").map((name) => ({ id: name, name, languages: [] }))

export const makeGemini = Effect.fnUntraced(function* (settings: CloudOptions<typeof GeminiSettings.Type>) {
  const { name, model = "gemini-3.8-flash-tts" } = settings
  const { client, obstacle } = yield* makeKeyedClient(settings, {
    keyVariable: "GEMINI_API_KEY",
    baseUrl: "https://generativelanguage.googleapis.com",
    headers: (key) => ({ "x-goog-api-key": key }),
    read: readGoogleError
  })
  const path = `/v1beta/models/${encodeURIComponent(model)}`
  const unusable = (reason: "bad-output" | "refused", detail: string) =>
    new SpeechFailed({ engine: name, reason, detail })

  return yield* makeCloudEngine(settings, {
    controls: [],
    model,
    limit: { unit: "bytes", most: 4_000 },
    concurrency: 2,
    obstacle,
    // The voices are fixed; reading the model proves the key and the model's name.
    list: Effect.as(client.json({ method: "GET", path }, Schema.Struct({ name: Schema.String })), voices),
    speak: Effect.fnUntraced(function* ({ text, voice, tone }) {
      const style = [settings.style, tone].filter((words) => words !== undefined).join(", ")
      const answer = yield* client.json(
        postJson(`${path}:generateContent`, {
          contents: [{ role: "user", parts: [partOf(model, text, style)] }],
          generationConfig: {
            responseModalities: ["AUDIO"],
            speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice.id } } }
          }
        }),
        Answer
      )
      const blocked = answer.promptFeedback?.blockReason
      if (blocked !== undefined) return yield* unusable("refused", `Gemini refused the text: ${blocked}`)
      const [candidate] = answer.candidates ?? []
      const finish = candidate?.finishReason ?? "STOP"
      if (refusals.has(finish)) return yield* unusable("refused", `Gemini refused the text: ${finish}`)
      if (finish !== "STOP")
        return yield* unusable(
          "bad-output",
          `Gemini ended the speech early (${finish}); speak the text again, or split it`
        )
      const blocks: Array<Uint8Array> = []
      let type = ""
      for (const { inlineData } of candidate?.content?.parts ?? []) {
        if (inlineData === undefined) continue
        type = inlineData.mimeType
        blocks.push(yield* decodedAudio(name, "base64", inlineData.data))
      }
      const bytes = new Uint8Array(Buffer.concat(blocks))
      const speech = soundOf(name, type, bytes)
      return yield* (
        speech ?? unusable("bad-output", `Gemini responded with ${type}; expected WAV or 16-bit PCM`)
      )
    })
  })
})

/** Models before 3.8 have no field for a style: they take it as a prompt before the text. */
const isEarly = (model: string): boolean => /^gemini-(?:2\.5|3\.1)-/u.test(model)

const partOf = (model: string, text: string, style: string) => {
  if (style === "") return { text }
  return isEarly(model)
    ? { text: `${style.replace(/[:\s]+$/u, "")}: ${text}` }
    : { text, speechMetadata: { style } }
}

const isRate = Schema.is(SampleRate)

/** Reads the audio: a WAV file, or samples whose rate the media type names. Undefined for other types. */
const soundOf = (name: string, type: string, bytes: Uint8Array) => {
  if (/^audio\/(?:x-|vnd\.)?wave?\b/iu.test(type)) return wavSpeech(name, bytes)
  if (type !== "" && !/^audio\/(?:L16|pcm)\b/iu.test(type)) return undefined
  const stated = Number(/rate=(\d+)/u.exec(type)?.[1])
  return pcmSpeech(name, bytes, isRate(stated) ? stated : cloudRate)
}

/** Reasons to end that are about the text. */
const refusals = new Set(["SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII"])

const Answer = Schema.Struct({
  promptFeedback: Schema.optional(Schema.Struct({ blockReason: Schema.optional(Schema.String) })),
  candidates: Schema.optional(
    Schema.Array(
      Schema.Struct({
        finishReason: Schema.optional(Schema.String),
        content: Schema.optional(
          Schema.Struct({
            parts: Schema.optional(
              Schema.Array(
                Schema.Struct({
                  inlineData: Schema.optional(Schema.Struct({ mimeType: Schema.String, data: Schema.String }))
                })
              )
            )
          })
        )
      })
    )
  )
})
