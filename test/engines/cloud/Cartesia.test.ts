import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldAt } from "../../../src/engines/cloud/shared/JsonFields.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { cartesia, stream } from "./servers/CartesiaServer.ts"
import { fieldsIn } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(cartesia)

layer(httpClient)("Cartesia", (it) => {
  it.scoped("gets a tone as an emotion if it has that one", () =>
    Effect.gen(function* () {
      const { server, engine, spoken } = yield* started(cartesia)
      for (const tone of ["very sad", "angrily", "whispers"])
        yield* engine.speak(request(cartesia.speech.voice, "Tea.", { tone }))
      expect(server.broken).toEqual([])
      expect(spoken().map(({ body }) => fieldAt(fieldsIn(body), "generation_config.emotion"))).toEqual([
        "sad",
        "angry",
        undefined
      ])
    })
  )

  it.scoped("reports errors inside a stream like those of a response", () =>
    Effect.gen(function* () {
      const { server, engine } = yield* started(cartesia)
      const events = [
        { error_code: "concurrency_limited", status_code: 429 },
        { error_code: "quota_exceeded", status_code: 402 },
        { error_code: null, status_code: 500 }
      ]
      server.next(
        ...events.map((event) => stream({ type: "error", done: true, title: "No", message: "no", ...event }))
      )
      const found: Array<unknown> = []
      for (const _ of events) {
        const failure = yield* Effect.flip(engine.speak(request(cartesia.speech.voice, "Tea.")))
        found.push(failure._tag === "SpeechFailed" ? failure.reason : failure._tag)
      }
      expect(found).toEqual(["busy", "quota", "crashed"])
    })
  )
})
