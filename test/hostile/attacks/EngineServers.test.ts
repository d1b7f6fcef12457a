/** Servers behind engines that are hostile: redirects, endless and compressed bodies. The key stays at its server. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect } from "effect"
import type { SpeechRequest } from "../../../src/engines/Engine.ts"
import { makeOpenAiEngine } from "../../../src/engines/program/OpenAiEngine.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { makeUpstreamEngine } from "../../../src/service/catalogue/EngineSet.ts"

/** Starts a server for the lifetime of the scope; returns its origin and the keys that it got. */
const serverOf = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const keys: Array<string | undefined> = []
        const server = createServer((request, response) => {
          keys.push(request.headers.authorization ?? request.headers["xi-api-key"]?.toString())
          answer(request, response)
        })
        await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
        return { server, keys }
      }),
      ({ server }) => Effect.sync(() => (server.closeAllConnections(), server.close()))
    ),
    ({ server, keys }) => {
      const bound = server.address()
      return {
        keys,
        origin: `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`
      }
    }
  )

const request: SpeechRequest = { text: "Words.", voice: "v", rate: 1, volume: 1, pitch: 0 }

const withKey = Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["ENGINE_KEY", "the-key"]])))

/** Speaks with an OpenAI engine that sends the key `the-key`. */
const spoken = (baseUrl: string) =>
  Effect.flatMap(
    makeOpenAiEngine({
      name: "e",
      baseUrl,
      model: "m",
      keyVariable: "ENGINE_KEY",
      voices: [{ id: "v", name: "v", languages: ["en"] }],
      maxBytes: 1_000_000,
      timeout: "20 seconds"
    }),
    (engine) => engine.speak(request)
  ).pipe(Effect.provide(httpClient), withKey)

it.scopedLive.each([301, 302, 303, 307, 308])(
  "a redirect with %i is not followed, and the key stays",
  (status) =>
    Effect.gen(function* () {
      const thief = yield* serverOf((_, response) => void response.end("RIFF"))
      const server = yield* serverOf((_, response) => {
        response.writeHead(status, { location: `${thief.origin}/audio/speech` }).end()
      })
      const failure = yield* Effect.flip(spoken(server.origin))
      expect(["SpeechFailed", "EngineUnavailable"]).toContain(failure._tag)
      expect(server.keys).toEqual(["Bearer the-key"])
      expect(thief.keys).toEqual([])
      expect(failure.message).not.toContain("the-key")
    })
)

it.scopedLive("endless audio ends at the limit", () =>
  Effect.gen(function* () {
    let sent = 0
    const server = yield* serverOf((_, response) => {
      response.writeHead(200, { "content-type": "audio/wav" })
      const more = () => {
        let isReady = true
        while (isReady && !response.destroyed) {
          isReady = response.write(Buffer.alloc(65_536))
          sent += 65_536
        }
        if (!response.destroyed) response.once("drain", more)
      }
      more()
    })
    expect(yield* Effect.flip(spoken(server.origin))).toMatchObject({ _tag: "SpeechFailed" })
    expect(sent).toBeLessThan(50_000_000)
  })
)

it.scopedLive.each(["gzip", "br"])("a body of 20 MB, compressed as %s, is not unpacked", (encoding) =>
  Effect.gen(function* () {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const server = yield* serverOf((_, response) => {
      response.writeHead(200, { "content-type": "audio/wav", "content-encoding": encoding }).end(bomb)
    })
    const speech = yield* spoken(server.origin)
    expect(speech._tag === "Encoded" && speech.bytes.length).toBe(bomb.length)
  })
)

/** Speaks with an upstream engine whose server says that the audio of its task is at an address. */
const spokenUpstream = (audioUrl: (origin: string) => string, redirect?: string) =>
  Effect.gen(function* () {
    const task = { task_id: "t", status: "done", provider: "provider_native", characters: 6, credits: 6 }
    const server = yield* serverOf(({ method, url = "", headers }, response) => {
      const origin = `http://${headers.host}`
      if (redirect !== undefined && url === "/audio") response.writeHead(302, { location: redirect }).end()
      else if (method === "POST") response.end(JSON.stringify(task))
      else if (url.startsWith("/v1/tasks")) response.end(JSON.stringify({ tasks: [], has_more: false }))
      else response.end(JSON.stringify({ ...task, audio_url: audioUrl(origin) }))
    })
    const engine = yield* makeUpstreamEngine({
      name: "e",
      baseUrl: server.origin,
      keyVariable: "ENGINE_KEY",
      provider: "provider_native",
      timeout: Duration.seconds(20)
    })
    return { keys: server.keys, speech: yield* Effect.either(engine.speak(request)) }
  }).pipe(withKey)

it.scopedLive("an upstream service cannot name audio in another network", () =>
  Effect.gen(function* () {
    const metadata = "http://169.254.169.254/latest/meta-data"
    const cases = [
      spokenUpstream(() => metadata),
      spokenUpstream((origin) => `${origin}/audio`, metadata),
      spokenUpstream(() => "file:///etc/passwd")
    ]
    for (const spoken of cases) {
      const { keys, speech } = yield* spoken
      expect(speech).toMatchObject({ _tag: "Left", left: { _tag: "SpeechFailed", reason: "bad-output" } })
      expect(keys).toContain("the-key")
    }
  })
)

it.scopedLive("the key of an upstream service stays there", () =>
  Effect.gen(function* () {
    const thief = yield* serverOf((_, response) => void response.end("RIFF"))
    const address = `${thief.origin}/audio`
    yield* spokenUpstream(() => address)
    yield* spokenUpstream((origin) => `${origin}/audio`, address)
    expect(thief.keys).toEqual([undefined, undefined])
  })
)
