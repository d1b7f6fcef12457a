import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeElevenLabs } from "../../../src/engines/cloud/ElevenLabs.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { elevenLabs } from "./servers/ElevenLabsServer.ts"
import { fieldsIn, json } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(elevenLabs)

layer(httpClient)("ElevenLabs", (it) => {
  const { voice, text } = elevenLabs.speech

  it.scoped("gets the texts around a request and its language, if the model takes them", () =>
    Effect.gen(function* () {
      const sent = (model: string) =>
        Effect.gen(function* () {
          const provider = {
            ...elevenLabs,
            make: (settings) => makeElevenLabs({ ...settings, model })
          } satisfies typeof elevenLabs
          const { engine, spoken } = yield* started(provider)
          yield* engine.speak(request(voice, "Yes.", { before: "Tea?", after: "Please.", language: "vi-VN" }))
          return fieldsIn(spoken()[0]?.body ?? "")
        })
      const around = { previous_text: "Tea?", next_text: "Please." }
      expect(yield* sent("eleven_multilingual_v2")).toEqual({
        text: "Yes.",
        model_id: "eleven_multilingual_v2",
        ...around
      })
      expect(yield* sent("eleven_flash_v2_5")).toEqual({
        text: "Yes.",
        model_id: "eleven_flash_v2_5",
        language_code: "vi",
        ...around
      })
      expect(yield* sent("eleven_v3")).toEqual({ text: "Yes.", model_id: "eleven_v3", language_code: "vi" })
    })
  )

  it.scoped("gets a tone as a tag with version 3, whose times are not the words'", () =>
    Effect.gen(function* () {
      const spokenBy = (model: string) =>
        Effect.gen(function* () {
          const make: typeof elevenLabs.make = (settings) => makeElevenLabs({ ...settings, model })
          const { engine, spoken } = yield* started({ ...elevenLabs, make })
          const { words } = yield* engine.speak(request(voice, "Yes. No.", { tone: "whispers" }))
          return [
            fieldsIn(spoken()[0]?.body ?? "")["text"],
            words.map(({ text: word, start }) => [word, start])
          ]
        })
      expect(yield* spokenBy("eleven_v3")).toEqual([
        "[whispers] Yes. No.",
        [
          ["Yes.", 1100],
          ["No.", 1600]
        ]
      ])
      expect(yield* spokenBy("eleven_flash_v2_5")).toEqual([
        "Yes. No.",
        [
          ["Yes.", 0],
          ["No.", 500]
        ]
      ])
    })
  )

  it.scoped("gives no times if they are those of another text", () =>
    Effect.gen(function* () {
      const { server, engine } = yield* started(elevenLabs)
      const other = fieldsIn(String(elevenLabs.refusals.truncated.body))
      server.next(json({ ...other, alignment: null }))
      const heard = yield* engine.speak(request(voice, text))
      expect([heard.words, heard.sentences]).toEqual([[], []])
    })
  )
})
