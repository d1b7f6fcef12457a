import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { httpClient } from "../../../src/gateway/transport/HttpTransport.ts"
import { request } from "../speech.ts"
import { candidate, gemini } from "./servers/GeminiServer.ts"
import { json } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(gemini)

layer(httpClient)("Gemini", (it) => {
  it.scoped("refuses a text as its answer says, and other media", () =>
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
