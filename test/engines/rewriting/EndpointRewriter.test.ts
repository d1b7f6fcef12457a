/** A rewriter on a server: its requests, and errors without the key and the prompt. */
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { makeEndpointRewriter } from "../../../src/engines/rewriting/EndpointRewriter.ts"

const line = {
  system: "You shorten lines of a dub, so that a voice can speak them in time.",
  user: '{"line":"A long line of dialogue."}',
  values: { text: "A long line of dialogue.", limit: "9", language: "en", before: "", after: "" }
}

/**
 * Shortens the line with a server that gives this response; returns the result and the requests that the server got.
 */
const shortenedAt = (response: () => Response) =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    const client = HttpClient.make((request) =>
      Effect.sync(() => {
        const { body, url, headers } = request
        const sent = body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : undefined
        seen.push({ url, key: headers["authorization"], sent })
        return HttpClientResponse.fromWeb(request, response())
      })
    )
    const rewriter = yield* makeEndpointRewriter({
      baseUrl: "http://llm.test/v1/",
      model: "m",
      key: Redacted.make("sk-secret"),
      concurrency: 1,
      timeout: "1 minute"
    }).pipe(Effect.provideService(HttpClient.HttpClient, client))
    return { result: yield* Effect.either(rewriter.shorten(line)), seen, identity: rewriter.identity }
  })

it.effect("sends the prompt as two messages, and returns the reply as it came", () =>
  Effect.gen(function* () {
    const { result, seen, identity } = yield* shortenedAt(() =>
      Response.json({ choices: [{ message: { role: "assistant", content: " A line. " } }] })
    )
    expect(result).toMatchObject({ right: " A line. " })
    expect(seen).toEqual([
      {
        url: "http://llm.test/v1/chat/completions",
        key: "Bearer sk-secret",
        sent: {
          model: "m",
          stream: false,
          messages: [
            { role: "system", content: line.system },
            { role: "user", content: line.user }
          ]
        }
      }
    ])
    expect(identity).toBe("endpoint http://llm.test/v1 m")
  })
)

it.effect.each([
  ["a refused key", 401, { error: { message: "Incorrect API key provided: sk-secret" } }],
  ["an error that quotes the prompt", 400, { error: { message: `cannot read: ${line.system}` } }],
  ["an error that quotes the line", 400, { error: { message: `cannot read: ${line.values.text}` } }],
  ["no completion", 200, { text: line.system }],
  ["a redirect", 307, {}]
] as const)("reports %s without the key and the prompt", ([, status, body]) =>
  Effect.gen(function* () {
    const { result, seen } = yield* shortenedAt(() => Response.json(body, { status }))
    expect(result._tag).toBe("Left")
    const told = JSON.stringify(result)
    expect(told).toContain("http://llm.test/v1/")
    for (const secret of ["sk-secret", line.system.slice(0, 30), line.values.text])
      expect(told).not.toContain(secret)
    expect(seen).toHaveLength(1)
  })
)
