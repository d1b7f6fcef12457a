import { createServer } from "node:http"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TaskId } from "../../../src/domain/values/Ids.ts"
import { Gateway } from "../../../src/gateway/Gateway.ts"
import { InvalidResponse, Unreachable } from "../../../src/gateway/GatewayErrors.ts"
import { audioPlaces } from "../../../src/gateway/requests/Download.ts"
import { HttpTransport } from "../../../src/gateway/exchange/HttpTransport.ts"
import { ServiceAddress } from "../../../src/gateway/exchange/ServiceAddress.ts"

/** A server on loopback, and the paths that were requested. */
const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen: Array<string> = []
    const listener = createServer(({ url = "" }, response) => {
      seen.push(url)
      const to = new URL(url, "http://here").searchParams.get("to")
      if (to === null) response.end("ID3 sound")
      else response.writeHead(302, { location: to }).end()
    })
    await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready))
    const address = listener.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { seen, port, listener }
  }),
  ({ listener }) =>
    Effect.promise(() => {
      listener.closeAllConnections()
      return new Promise((closed) => listener.close(closed))
    })
)

/** Fetches audio from a service that is known by these names. */
const fetching = (base: string, names: Readonly<Record<string, ReadonlyArray<string>>>, audio: string) =>
  Effect.flatMap(Gateway, (gateway) =>
    gateway.fetch(
      {
        _tag: "Done",
        task: TaskId.make("8d7f9a52-0c3e-4b5e-9f5e-2f4f3f0e8a11"),
        audio,
        srt: undefined,
        json: undefined,
        label: undefined,
        seconds: undefined,
        took: undefined,
        engine: undefined
      },
      10
    )
  ).pipe(
    Effect.as("fetched"),
    Effect.catchTag("NoAudio", ({ reason, words }) => Effect.succeed(`${reason}: ${words}`)),
    Effect.provide(
      Gateway.Default.pipe(
        Layer.provide(HttpTransport.Default),
        Layer.provide(
          Layer.succeed(ServiceAddress, {
            baseUrl: new URL(base),
            key: Redacted.make("nativeapikey_x"),
            answerWithin: "2 seconds",
            audioWithin: "5 seconds",
            resolve: async (host) => names[host] ?? []
          })
        )
      )
    )
  )

const refusal = (host: string) =>
  `address: its URL names ${host}, a private address outside the service's network; correct the service's public URL`

it.scopedLive("never reads audio from a network that only this machine can reach, whatever the URL", () =>
  Effect.gen(function* () {
    const service = yield* server
    const inside = yield* server
    const target = `http://127.0.0.1:${inside.port}/secret`
    // By its name, the service is a host on the internet.
    const base = `http://localhost:${service.port}`
    const names = {
      localhost: ["8.8.8.8"],
      "rebound.test": ["8.8.8.8", "127.0.0.1"],
      "inside.test": ["10.0.0.7"]
    }
    const fetch = (audio: string) => fetching(base, names, audio)
    expect(yield* fetch("/audio")).toBe("fetched")
    expect(yield* fetch(target)).toBe(refusal("127.0.0.1"))
    expect(yield* fetch(`http://2130706433:${inside.port}/secret`)).toBe(refusal("127.0.0.1"))
    expect(yield* fetch(`http://[::ffff:127.0.0.1]:${inside.port}/secret`)).toBe(refusal("::ffff:7f00:1"))
    expect(yield* fetch("http://169.254.169.254/latest/meta-data")).toBe(refusal("169.254.169.254"))
    expect(yield* fetch(`http://rebound.test:${inside.port}/secret`)).toBe(refusal("rebound.test"))
    expect(yield* fetch("http://inside.test/secret")).toBe(refusal("inside.test"))
    expect(yield* fetch(`/audio?to=${encodeURIComponent(target)}`)).toBe(refusal("127.0.0.1"))
    expect(inside.seen).toEqual([])
  })
)

it.scopedLive("does not follow the service's own name to another port once it names this machine", () =>
  Effect.gen(function* () {
    const service = yield* server
    const inside = yield* server
    const base = `http://localhost:${service.port}`
    let looks = 0
    const names = {
      get localhost() {
        return looks++ === 0 ? ["8.8.8.8"] : ["127.0.0.1"]
      }
    }
    expect(yield* fetching(base, names, `http://localhost:${inside.port}/secret`)).toBe(refusal("localhost"))
    expect(inside.seen).toEqual([])
  })
)

it.scopedLive("reads audio from the network that the service is in", () =>
  Effect.gen(function* () {
    const service = yield* server
    const store = yield* server
    const base = `http://127.0.0.1:${service.port}`
    const names = { "store.test": ["127.0.0.1"] }
    expect(yield* fetching(base, names, `http://127.0.0.1:${store.port}/a`)).toBe("fetched")
    expect(yield* fetching(base, names, `http://store.test:${store.port}/a`)).toBe("fetched")
    // Even then, the metadata server of a cloud is out of bounds.
    expect(yield* fetching(base, names, "http://169.254.169.254/a")).toBe(refusal("169.254.169.254"))
  })
)

it.scopedLive("looks up where the service is until a lookup succeeds, and keeps its first result", () =>
  Effect.gen(function* () {
    const store = yield* server
    const words = "getaddrinfo EAI_AGAIN service.test"
    const lookups = [
      () => Promise.reject(Object.assign(new Error(words), { code: "EAI_AGAIN" })),
      async () => ["127.0.0.1"],
      async () => ["8.8.8.8"]
    ]
    const asked: Array<string> = []
    const { send } = yield* audioPlaces({
      baseUrl: new URL("http://service.test"),
      key: Redacted.make("nativeapikey_x"),
      answerWithin: "2 seconds",
      audioWithin: "5 seconds",
      resolve: async (host) => {
        asked.push(host)
        return (await lookups.shift()?.()) ?? []
      }
    })
    const origin = `http://127.0.0.1:${store.port}`
    const fetch = Effect.map(
      send(new URL("/a", origin), {
        ...{ origin, path: "/a", method: "GET", headers: {}, body: undefined, most: 100 },
        ...{ tooLong: () => new InvalidResponse({ words: "long" }), within: "5 seconds", late: "late" }
      }),
      ({ status }) => status
    )
    expect(yield* Effect.flip(fetch)).toEqual(new Unreachable({ words }))
    expect(store.seen).toEqual([])
    expect([yield* fetch, yield* fetch]).toEqual([200, 200])
    expect({ asked, seen: store.seen }).toEqual({
      asked: ["service.test", "service.test"],
      seen: ["/a", "/a"]
    })
  }).pipe(Effect.provide(HttpTransport.Default))
)
