import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { makeGemini } from "../../../src/engines/cloud/Gemini.ts"
import { fieldAt } from "../../../src/engines/cloud/shared/JsonFields.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { candidate, gemini } from "./servers/GeminiServer.ts"
import { base64, fieldsIn, json, tone } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(gemini)

/** Newer models return WAV files. */
const wav = {
  inlineData: {
    mimeType: "audio/wav",
    data: base64(
      encodeWav16({
        rate: SampleRate.make(24_000),
        samples: Float32Array.from(tone(300), (one) => one / 32_768)
      })
    )
  }
}

layer(httpClient)("Gemini", (it) => {
  it.scoped("gets the style and the tone beside the text; earlier models before it", () =>
    Effect.gen(function* () {
      const sent = (model: string, style?: string) =>
        Effect.gen(function* () {
          const make: typeof gemini.make = (settings) =>
            makeGemini({
              ...settings,
              model,
              listVoices: false,
              voices: [{ id: "Kore", name: "Kore", languages: [] }],
              ...(style === undefined ? {} : { style })
            })
          const { server, engine } = yield* started({
            ...gemini,
            make,
            answer: () => candidate("STOP", [wav])
          })
          yield* engine.speak(request("Kore", "Chào.", { tone: "whispers" }))
          return fieldAt(fieldsIn(server.calls[0]?.body ?? ""), "contents.0.parts.0")
        })
      expect(yield* sent("gemini-3.8-flash-lite-tts")).toEqual({
        text: "Chào.",
        speechMetadata: { style: "whispers" }
      })
      expect(yield* sent("gemini-3.8-flash-tts", "calm")).toEqual({
        text: "Chào.",
        speechMetadata: { style: "calm, whispers" }
      })
      expect(yield* sent("gemini-2.5-flash-preview-tts", "Read calmly")).toEqual({
        text: "Read calmly, whispers: Chào."
      })
    })
  )

  it.scoped("its refusals and unusable answers become the matching failures", () =>
    Effect.gen(function* () {
      const { server, engine } = yield* started(gemini)
      const answers = [
        json({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }),
        candidate("SAFETY", []),
        candidate("STOP", [{ text: "I cannot speak." }]),
        candidate("STOP", [{ inlineData: { mimeType: "audio/mp3", data: "AAAA" } }])
      ]
      server.next(...answers)
      const found: Array<unknown> = []
      for (const _ of answers) {
        const failure = yield* Effect.flip(engine.speak(request("Kore", "Chào.")))
        found.push(failure._tag === "SpeechFailed" ? failure.reason : failure._tag)
      }
      expect(found).toEqual(["refused", "refused", "bad-output", "bad-output"])
    })
  )
})
