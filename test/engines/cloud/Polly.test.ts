import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makePolly } from "../../../src/engines/cloud/Polly.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { polly } from "./servers/PollyServer.ts"
import { fieldsIn } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(polly)

layer(httpClient)("Polly", (it) => {
  const { text } = polly.speech

  it.scoped("asks for word times only if they are wanted and the voice has them", () =>
    Effect.gen(function* () {
      const plain = yield* started({ ...polly, make: makePolly })
      expect((yield* plain.engine.speak(request("Lupe", text))).words).toEqual([])
      expect(plain.server.calls.filter(({ path }) => path === "/v1/speech").length).toBe(1)
      const generative = yield* started({
        ...polly,
        make: (settings) =>
          makePolly({
            ...settings,
            model: "generative",
            wordTimes: true,
            listVoices: false,
            voices: [{ id: "Lupe", name: "Lupe", languages: ["es-US"] }]
          })
      })
      expect((yield* generative.engine.speak(request("Lupe", text))).words).toEqual([])
      expect([...plain.server.broken, ...generative.server.broken]).toEqual([])
      expect(generative.server.calls.length).toBe(1)
    })
  )

  it.scoped("times words by their bytes in the markup", () =>
    Effect.gen(function* () {
      const { engine } = yield* started(polly)
      const heard = yield* engine.speak(request("Lupe", "Ñu & té", { rate: 1.5 }))
      expect(heard.words).toEqual([
        { text: "Ñu", start: 0, end: 400 },
        { text: "&", start: 400, end: 800 },
        { text: "té", start: 800, end: 940 }
      ])
    })
  )

  it.scoped("keeps audio that was paid for even if its times are missing", () =>
    Effect.gen(function* () {
      const marksFail = {
        ...polly,
        answer: (call: Parameters<typeof polly.answer>[0]) =>
          call.body.includes("SpeechMarkTypes") ? polly.refusals.busy : polly.answer(call, false)
      }
      const { engine } = yield* started(marksFail)
      const heard = yield* engine.speak(request("Lupe", text))
      expect([heard._tag, heard.words]).toEqual(["Encoded", []])
    })
  )

  it.scoped("takes a pitch with standard voices", () =>
    Effect.gen(function* () {
      const { server, engine, spoken } = yield* started({
        ...polly,
        make: (settings) =>
          makePolly({
            ...settings,
            model: "standard",
            listVoices: false,
            voices: [{ id: "Lupe", name: "Lupe", languages: ["es-US"] }]
          })
      })
      yield* engine.speak(request("Lupe", "Hola.", { pitch: 2 }))
      expect([fieldsIn(spoken()[0]?.body ?? "")["Text"], server.broken]).toEqual([
        '<speak><prosody pitch="+12%">Hola.</prosody></speak>',
        []
      ])
    })
  )
})
