import { expect, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { azure } from "./servers/AzureServer.ts"
import { bytesOf, tone } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(azure)

layer(httpClient)("Azure", (it) => {
  const { voice, text } = azure.speech

  it.scoped("gets the text's language with a multilingual voice", () =>
    Effect.gen(function* () {
      const { engine, spoken } = yield* started(azure)
      yield* engine.speak(request("en-US-JennyMultilingualNeural", "Chào.", { language: "vi" }))
      expect(spoken()[0]?.body).toContain('<lang xml:lang="vi-VN">Chào.</lang>')
    })
  )

  it.scoped("gets a tone as one of the voice's styles, else not at all", () =>
    Effect.gen(function* () {
      const { server, engine, spoken } = yield* started(azure)
      const jenny = "en-US-JennyMultilingualNeural"
      for (const [id, tone] of [
        [jenny, "whispers"],
        [jenny, "roars"],
        [voice, "whispers"]
      ] as const)
        yield* engine.speak(request(id, "Come.", { tone }))
      expect(server.broken).toEqual([])
      expect(spoken().map(({ body }) => body.replace(/^<speak[^>]*>|<\/speak>$/gu, ""))).toEqual([
        `<voice name="${jenny}"><mstts:express-as style="whispering">Come.</mstts:express-as></voice>`,
        `<voice name="${jenny}">Come.</voice>`,
        `<voice name="${voice}">Come.</voice>`
      ])
      // The prefix must be declared where it is used.
      expect(spoken()[0]?.body).toContain(' xmlns:mstts="https://www.w3.org/2001/mstts" xml:lang="en-US"')
    })
  )

  it.scoped("cuts audio after ten minutes: that text is too long", () =>
    Effect.gen(function* () {
      const { server, engine } = yield* started(azure)
      server.next({ body: bytesOf(tone(600_000)) })
      // The audio is removed, because a failed test would print all of it.
      const ended = yield* Effect.either(Effect.asVoid(engine.speak(request(voice, text))))
      expect(Either.isLeft(ended) && ended.left._tag === "SpeechFailed" && ended.left.reason).toBe("too-long")
    })
  )

  it.scoped("needs a region unless an address is set", () =>
    Effect.gen(function* () {
      const provider = {
        ...azure,
        make: (settings: Parameters<typeof azure.make>[0]) => {
          const { baseUrl: _, ...rest } = settings
          return azure.make(rest)
        }
      }
      const { engine } = yield* started(provider, {}, { AZURE_SPEECH_KEY: "k" })
      expect((yield* Effect.flip(engine.check)).message).toContain("AZURE_SPEECH_REGION")
    })
  )
})
