/**
 * Gemini's speech models: `POST /v1beta/models/{model}:generateContent` with audio as the response's only modality.
 *
 * https://ai.google.dev/gemini-api/docs/speech-generation
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"
import { type EngineVoice, SpeechFailed } from "../Engine.ts"
import { readGoogleError } from "./GoogleErrors.ts"
import { cloudRate, decodedAudio, pcmSpeech } from "./shared/CloudAudio.ts"
import { makeCloudClient } from "./shared/CloudClient.ts"
import { makeCloudEngine, missingKey } from "./shared/CloudEngine.ts"
import { type CloudSettings, secretIn } from "./shared/CloudSettings.ts"

export interface GeminiSettings extends CloudSettings {
  /** Default `gemini-3.8-flash-tts`. */
  readonly model?: string
  /** How to speak, such as "Read calmly, as a narrator:"; sent before each text. Default: none. */
  readonly style?: string
}

/** The prebuilt voices. They speak every language of the model. */
const names =
  "Zephyr Puck Charon Kore Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba Despina Erinome Algenib Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat"
const voices: ReadonlyArray<EngineVoice> = names.split(" ").map((name) => ({ id: name, name, languages: [] }))

export const makeGemini = Effect.fnUntraced(function* (settings: GeminiSettings) {
  const { name, model = "gemini-3.8-flash-tts", keyVariable = "GEMINI_API_KEY", style } = settings
  const key = yield* secretIn(keyVariable)
  const client = yield* makeCloudClient({
    name,
    baseUrl: settings.baseUrl ?? "https://generativelanguage.googleapis.com",
    timeout: `${settings.timeout ?? 120} seconds`,
    authorize: () =>
      Effect.succeed({ "x-goog-api-key": Option.match(key, { onNone: () => "", onSome: Redacted.value }) }),
    secrets: Option.toArray(key),
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
    obstacle: Option.isNone(key) ? missingKey(keyVariable) : undefined,
    // The voices are fixed; reading the model proves the key and the model's name.
    list: Effect.as(client.json({ method: "GET", path }, Schema.Struct({ name: Schema.String })), voices),
    speak: Effect.fnUntraced(function* ({ text, voice }) {
      const answer = yield* client.json(
        {
          method: "POST",
          path: `${path}:generateContent`,
          body: {
            type: "application/json",
            text: JSON.stringify({
              contents: [
                { role: "user", parts: [{ text: style === undefined ? text : `${style} ${text}` }] }
              ],
              generationConfig: {
                responseModalities: ["AUDIO"],
                speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice.id } } }
              }
            })
          }
        },
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
      let rate = cloudRate
      for (const { inlineData } of candidate?.content?.parts ?? []) {
        if (inlineData === undefined) continue
        const stated = Number(/rate=(\d+)/u.exec(inlineData.mimeType)?.[1])
        if (!/^audio\/(?:L16|pcm)\b/iu.test(inlineData.mimeType))
          return yield* unusable(
            "bad-output",
            `Gemini responded with ${inlineData.mimeType}; expected 16-bit PCM`
          )
        rate = isRate(stated) ? stated : cloudRate
        blocks.push(yield* decodedAudio(name, "base64", inlineData.data))
      }
      return yield* pcmSpeech(name, new Uint8Array(Buffer.concat(blocks)), rate)
    })
  })
})

const isRate = Schema.is(SampleRate)

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
