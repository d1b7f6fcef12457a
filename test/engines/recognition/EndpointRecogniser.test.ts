/** A recogniser on a server: the requests, and the failures that its errors become. */
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, TestClock } from "effect"
import { makeEndpointRecogniser } from "../../../src/engines/recognition/EndpointRecogniser.ts"

/**
 * Transcribes a clip with a server that gives these responses in turn; returns the result and the keys that the server
 * got.
 */
const heardAt = (...responses: ReadonlyArray<() => Response>) =>
  Effect.gen(function* () {
    const keys: Array<string | undefined> = []
    const client = HttpClient.make((request) =>
      Effect.sync(() => {
        const response = responses[Math.min(keys.length, responses.length - 1)]
        keys.push(request.headers["authorization"])
        return HttpClientResponse.fromWeb(request, response?.() ?? new Response())
      })
    )
    const recogniser = yield* makeEndpointRecogniser({
      baseUrl: "http://stt.test/v1/",
      model: "m",
      key: Redacted.make("secret"),
      concurrency: 1,
      timeout: "1 minute"
    }).pipe(Effect.provideService(HttpClient.HttpClient, client))
    const fiber = yield* Effect.fork(Effect.either(recogniser.hear(new Uint8Array(44), "vi-VN")))
    // Sending a form takes real time, but waits between tries use the test clock.
    yield* Effect.forkDaemon(
      Effect.forever(
        Effect.zipRight(
          TestClock.adjust("1 second"),
          Effect.promise(() => new Promise(setImmediate))
        )
      )
    ).pipe(Effect.flatMap((ticking) => Effect.ensuring(Fiber.join(fiber), Fiber.interrupt(ticking))))
    return { result: yield* Fiber.join(fiber), keys }
  })

const busy = () => new Response("{}", { status: 429, headers: { "retry-after": "2" } })
const words = () => Response.json({ text: " xin chào \u001b[31m" })

it.effect("tries again while the server is busy, and returns the words", () =>
  Effect.gen(function* () {
    const { result, keys } = yield* heardAt(busy, busy, words)
    expect(result).toMatchObject({ _tag: "Right", right: { text: "xin chào" } })
    expect(keys).toEqual(["Bearer secret", "Bearer secret", "Bearer secret"])
  })
)

it.effect("gives up on a refused key and on a page instead of JSON, without another try", () =>
  Effect.gen(function* () {
    const refused = yield* heardAt(() => new Response("{}", { status: 401 }))
    expect(refused.result).toMatchObject({ _tag: "Left", left: { reason: "unusable" } })
    const page = yield* heardAt(() => new Response("<html>"))
    expect(page.result).toMatchObject({ _tag: "Left", left: { reason: "one" } })
    expect([refused.keys.length, page.keys.length]).toEqual([1, 1])
  })
)
