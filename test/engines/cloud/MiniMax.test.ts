import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldAt } from "../../../src/engines/cloud/shared/JsonFields.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { miniMax } from "./servers/MiniMaxServer.ts"
import { fieldsIn, json } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(miniMax)

layer(httpClient)("MiniMax", (it) => {
  it.scoped("gets a tone as an emotion if it has that one", () =>
    Effect.gen(function* () {
      const { server, engine, spoken } = yield* started(miniMax)
      for (const tone of ["very sad", "angrily", "whispers"])
        yield* engine.speak(request(miniMax.speech.voice, "Một.", { tone }))
      expect(server.broken).toEqual([])
      expect(spoken().map(({ body }) => fieldAt(fieldsIn(body), "voice_setting.emotion"))).toEqual([
        "sad",
        "angry",
        undefined
      ])
    })
  )

  it.scoped("reads the languages of voices from their ids", () =>
    Effect.gen(function* () {
      const { engine } = yield* started(miniMax)
      expect((yield* engine.voices).map(({ languages }) => languages)).toEqual([["vi"], ["zh"], []])
    })
  )

  it.scoped("refuses texts by codes inside status 200", () =>
    Effect.gen(function* () {
      const { server, engine } = yield* started(miniMax)
      const codes = [1026, 1039, 2013, 2056, 9999]
      server.next(...codes.map((status_code) => json({ base_resp: { status_code, status_msg: "no" } })))
      const found: Array<unknown> = []
      for (const _ of codes) {
        const failure = yield* Effect.flip(engine.speak(request(miniMax.speech.voice, "Một.")))
        found.push(failure._tag === "SpeechFailed" ? failure.reason : failure._tag)
      }
      expect(found).toEqual(["refused", "busy", "refused", "quota", "crashed"])
    })
  )
})
