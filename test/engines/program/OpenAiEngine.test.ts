import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { expect, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber } from "effect"
import { makeOpenAiEngine, type OpenAiOptions } from "../../../src/engines/program/OpenAiEngine.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"

interface Seen {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  readonly body: string
}

type Handler = (request: Seen, response: ServerResponse) => void

const seenOf = async (incoming: IncomingMessage): Promise<Seen> => {
  let body = ""
  for await (const part of incoming) body += String(part)
  return {
    method: incoming.method ?? "",
    url: incoming.url ?? "",
    authorization: incoming.headers.authorization,
    body
  }
}

/** Starts a loopback server in the scope. Returns its address and the requests it received. */
const serve = (handler: Handler) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const server = yield* Effect.acquireRelease(
      Effect.async<Server>((resume) => {
        const server = createServer((incoming, response) => {
          void seenOf(incoming).then(
            (one) => {
              seen.push(one)
              handler(one, response)
            },
            () => undefined
          )
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.async<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { baseUrl: `http://127.0.0.1:${port}/v1`, seen }
  })

const engineAt = (baseUrl: string, more: Partial<OpenAiOptions> = {}) =>
  makeOpenAiEngine({
    name: "kokoro",
    baseUrl,
    model: "kokoro",
    voices: [{ id: "bella", name: "Bella", languages: ["en"] }],
    ...more
  }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["KOKORO_KEY", "s3cret"]]))))

/** The outcome of a request to a server with the given handler. */
const outcome = (handler: Handler, more: Partial<OpenAiOptions> = {}) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* serve(handler)
    const engine = yield* engineAt(baseUrl, more)
    const failure = yield* Effect.flip(engine.speak(request("bella", "Hello.")))
    return [
      failure._tag === "SpeechFailed" ? failure.reason : failure._tag,
      failure.detail.replace(baseUrl, "SERVER")
    ]
  }).pipe(Effect.scoped)

const answer =
  (status: number, body: string | Buffer, type = "application/json"): Handler =>
  (_, response) => {
    response.writeHead(status, { "content-type": type }).end(body)
  }

layer(httpClient, { excludeTestServices: true })("an OpenAI-compatible server", (it) => {
  it.scoped("receives text, model, voice, format and speed, and returns the speech", () =>
    Effect.gen(function* () {
      const { baseUrl, seen } = yield* serve(answer(200, Buffer.from("RIFFaudio"), "audio/wav"))
      const engine = yield* engineAt(`${baseUrl}/`, { keyVariable: "KOKORO_KEY" })
      expect(yield* engine.speak(request("bella", ' Hello,\n"world" ', { rate: 9 }))).toEqual({
        _tag: "Encoded",
        bytes: new Uint8Array(Buffer.from("RIFFaudio")),
        words: [],
        sentences: []
      })
      expect(seen).toEqual([
        {
          method: "POST",
          url: "/v1/audio/speech",
          authorization: "Bearer s3cret",
          body: JSON.stringify({
            model: "kokoro",
            input: 'Hello, "world"',
            voice: "bella",
            response_format: "wav",
            speed: 4
          })
        }
      ])
    })
  )

  it.scoped("receives no key if the settings name none", () =>
    Effect.gen(function* () {
      const { baseUrl, seen } = yield* serve(answer(200, "audio", "audio/mpeg"))
      yield* (yield* engineAt(baseUrl)).speak(request("bella", "Hello."))
      expect(seen.map(({ authorization }) => authorization)).toEqual([undefined])
    })
  )

  it.effect("its error responses become the matching failures", () =>
    Effect.gen(function* () {
      const error = (message: string) => JSON.stringify({ error: { message, type: "x" } })
      expect(yield* outcome(answer(400, error("no\nsuch model")))).toEqual([
        "refused",
        "the server responded with 400: no such model"
      ])
      expect(yield* outcome(answer(401, error("bad key")))).toEqual([
        "EngineUnavailable",
        "the server responded with 401: bad key; set a key that the server accepts"
      ])
      expect(yield* outcome(answer(413, ""))).toEqual(["too-long", "the server responded with 413"])
      expect(yield* outcome(answer(422, JSON.stringify({ detail: "voice unknown" })))).toEqual([
        "refused",
        "the server responded with 422: voice unknown"
      ])
      expect(yield* outcome(answer(429, "<html>slow down"))).toEqual([
        "busy",
        "the server responded with 429"
      ])
      expect(yield* outcome(answer(500, JSON.stringify({ error: "out of memory" })))).toEqual([
        "crashed",
        "the server responded with 500: out of memory"
      ])
      expect(yield* outcome(answer(503, JSON.stringify({ message: "loading" })))).toEqual([
        "EngineUnavailable",
        "the server responded with 503: loading"
      ])
    })
  )

  it.effect("a response without audio is rejected", () =>
    Effect.gen(function* () {
      expect(yield* outcome(answer(200, ""))).toEqual(["bad-output", "SERVER responded without audio"])
      expect(yield* outcome(answer(200, JSON.stringify({ error: "no GPU" })))).toEqual([
        "bad-output",
        "SERVER responded without audio: no GPU"
      ])
      expect(yield* outcome(answer(200, Buffer.alloc(2_000), "audio/wav"), { maxBytes: 1_000 })).toEqual([
        "bad-output",
        "the server sent more than 1000 bytes"
      ])
    })
  )

  it.effect("a response that never ends, is cut off or never arrives fails", () =>
    Effect.gen(function* () {
      const endless: Handler = (_, response) => {
        response.writeHead(200, { "content-type": "audio/wav" })
        const more = setInterval(() => response.write(Buffer.alloc(65_536)), 1)
        response.on("close", () => clearInterval(more))
      }
      expect((yield* outcome(endless, { maxBytes: 5_000_000 }))[0]).toBe("bad-output")
      expect(yield* outcome(() => undefined, { timeout: "300 millis" })).toEqual([
        "timeout",
        "no complete response from SERVER within 300ms"
      ])
      const broken: Handler = (_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("RIFF", () => response.destroy())
      }
      expect((yield* outcome(broken))[0]).toBe("bad-output")
    })
  )

  it.scoped("that is unreachable makes the engine unavailable", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Effect.scoped(serve(answer(200, "")))
      const engine = yield* engineAt(baseUrl)
      const failure = yield* Effect.flip(engine.speak(request("bella", "Hello.")))
      expect(failure._tag).toBe("EngineUnavailable")
      expect(failure.detail).toMatch(/^no response from http:\/\/127.*: connect ECONNREFUSED /u)
      expect((yield* Effect.flip(engine.check))._tag).toBe("EngineUnavailable")
    })
  )

  it.scoped("a missing key is reported by name before anything is sent", () =>
    Effect.gen(function* () {
      const { baseUrl, seen } = yield* serve(answer(200, "audio"))
      const engine = yield* engineAt(baseUrl, { keyVariable: "NO_SUCH_KEY" })
      expect((yield* Effect.flip(engine.speak(request("bella", "Hello.")))).message).toBe(
        "engine kokoro is unavailable: its key is missing; set the environment variable NO_SUCH_KEY"
      )
      expect(seen).toEqual([])
    })
  )

  it.scoped("adds its voices to those in the settings, in any JSON shape", () =>
    Effect.gen(function* () {
      for (const listing of [
        { voices: ["bella", "adam"] },
        { voices: [{ id: "adam" }, { nothing: true }] },
        { data: [{ voice_id: "adam", name: "adam" }] },
        ["adam"]
      ]) {
        const { baseUrl } = yield* serve(answer(200, JSON.stringify(listing)))
        const engine = yield* engineAt(baseUrl, { listVoices: true })
        expect((yield* engine.voices).map(({ id }) => id)).toEqual(["bella", "adam"])
      }
      const { baseUrl } = yield* serve(answer(404, "{}"))
      expect((yield* (yield* engineAt(baseUrl)).voices).map(({ id }) => id)).toEqual(["bella"])
      expect((yield* Effect.flip((yield* engineAt(baseUrl, { listVoices: true })).voices)).message).toBe(
        "engine kokoro is unavailable: unexpected response: the server responded with 404"
      )
    })
  )

  it.scoped("is asked for its voices again after a failure", () =>
    Effect.gen(function* () {
      let asked = 0
      const { baseUrl } = yield* serve((seen, response) =>
        answer(++asked === 1 ? 500 : 200, JSON.stringify(["adam"]))(seen, response)
      )
      const engine = yield* engineAt(baseUrl, { listVoices: true })
      yield* Effect.flip(engine.voices)
      expect((yield* engine.voices).map(({ id }) => id)).toEqual(["bella", "adam"])
      expect((yield* engine.voices).length).toBe(2)
      expect(asked).toBe(2)
    })
  )

  it.scoped("cannot redirect the key to another host", () =>
    Effect.gen(function* () {
      const elsewhere = yield* serve(answer(200, "audio"))
      const { baseUrl, seen } = yield* serve((_, response) =>
        response.writeHead(307, { location: `${elsewhere.baseUrl}/audio/speech` }).end()
      )
      const engine = yield* engineAt(baseUrl, { keyVariable: "KOKORO_KEY" })
      expect((yield* Effect.flip(engine.speak(request("bella", "Hello."))))._tag).toBe("SpeechFailed")
      expect(seen.map(({ authorization }) => authorization)).toEqual(["Bearer s3cret"])
      expect(elsewhere.seen).toEqual([])
    })
  )

  it.scoped("sets the retry delay with Retry-After", () =>
    Effect.gen(function* () {
      for (const [status, header, reason, retryAfter] of [
        [429, "7", "busy", 7],
        [503, "7", "busy", 7],
        [429, new Date(Date.now() + 3_600_000).toUTCString(), "busy", 300],
        [429, "99999", "busy", 300],
        [429, "soon", "busy", undefined]
      ] as const) {
        const { baseUrl } = yield* serve((_, response) =>
          response.writeHead(status, { "retry-after": header }).end()
        )
        const engine = yield* engineAt(baseUrl)
        const failure = yield* Effect.flip(engine.speak(request("bella", "Hello.")))
        expect(failure._tag === "SpeechFailed" ? [failure.reason, failure.retryAfter] : failure._tag).toEqual(
          [reason, retryAfter]
        )
      }
    })
  )

  it.scoped("is healthy if it responds, even without a list of models", () =>
    Effect.gen(function* () {
      for (const status of [200, 404]) {
        const { baseUrl, seen } = yield* serve(answer(status, "{}"))
        yield* (yield* engineAt(baseUrl)).check
        expect(seen.map(({ url }) => url)).toEqual(["/v1/models"])
      }
      const { baseUrl } = yield* serve(answer(503, "{}"))
      expect((yield* Effect.flip((yield* engineAt(baseUrl)).check)).detail).toBe(
        "the server responded with 503"
      )
    })
  )

  it.scoped("sees the connection close when a request is interrupted", () =>
    Effect.gen(function* () {
      let closed: (() => void) | undefined
      const hung = Effect.async<void>((resume) => {
        closed = () => resume(Effect.void)
      })
      const waiting = yield* Effect.fork(hung)
      let arrived: (() => void) | undefined
      const arrival = yield* Effect.fork(
        Effect.async<void>((resume) => {
          arrived = () => resume(Effect.void)
        })
      )
      yield* Effect.yieldNow()
      const { baseUrl } = yield* serve((_, response) => {
        response.on("close", () => closed?.())
        arrived?.()
      })
      const fiber = yield* Effect.fork((yield* engineAt(baseUrl)).speak(request("bella", "Hello.")))
      yield* Fiber.join(arrival)
      yield* Fiber.interrupt(fiber)
      yield* Fiber.join(waiting)
    })
  )
})
