/** Losing the connection to Redis while it is in use. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { connectRedis } from "../../../src/fleet/shared/Redis.ts"
import { hasRedis, RedisServer } from "../RedisServer.ts"

/** A proxy to a port. After a cut, open connections hang without an error, and new ones work. */
const cutable = async (port: number) => {
  const sockets: Array<Socket> = []
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1")
    near.pipe(far).on("error", () => near.destroy())
    far.pipe(near).on("error", () => far.destroy())
    sockets.push(near, far)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `redis://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    cut: () => {
      for (const socket of sockets.splice(0)) socket.unpipe().pause()
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

const started = Effect.acquireRelease(
  Effect.promise(() => RedisServer.start()),
  (server) => Effect.promise(() => server.stop())
)

describe.skipIf(!hasRedis)("a Redis", () => {
  it.scopedLive("on a public address is warned of if it needs no password", () =>
    Effect.gen(function* () {
      const { port } = yield* started
      const warnings = (host: string, place: string) =>
        Effect.map(
          connectRedis(
            `redis://${host}:${port}`,
            undefined,
            () => undefined,
            undefined,
            async () => [place]
          ),
          ({ warnings }) => warnings
        )
      expect(yield* warnings("localhost", "8.8.8.8")).toEqual([
        expect.stringMatching(/^redis:\/\/localhost:\d+: a public address without a password.*requirepass/u)
      ])
      expect(yield* warnings("localhost", "10.0.0.1")).toEqual([])
      expect(yield* warnings("127.0.0.1", "8.8.8.8")).toEqual([])
    })
  )

  it.effect("leaves no timer when the fleet's connections close in the middle of a request", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
        () => Effect.sync(() => vi.useRealTimers())
      )
      const { url } = yield* started
      const { closed } = yield* Effect.scoped(
        Effect.gen(function* () {
          const { client } = yield* connectRedis(url, undefined, () => undefined)
          const own = client.duplicate()
          const ended = Promise.all([client, own].map((each) => once(each, "end")))
          const waiting = own.blpop("nothing", 0).catch(() => {})
          yield* Effect.promise(() => once(own, "ready"))
          yield* Effect.addFinalizer(() => Effect.sync(() => own.disconnect()))
          expect(vi.getTimerCount()).toBeGreaterThan(0)
          return { closed: Promise.all([ended, waiting]) }
        })
      )
      yield* Effect.promise(() => closed)
      expect(vi.getTimerCount()).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.scopedLive(
    "whose connection dies silently is reported, and requests are retried over a new connection",
    () =>
      Effect.gen(function* () {
        const server = yield* started
        const way = yield* Effect.acquireRelease(
          Effect.promise(() => cutable(server.port)),
          ({ close }) => Effect.sync(close)
        )
        const told: Array<string> = []
        const { client } = yield* connectRedis(way.url, undefined, (line) => told.push(line), 1_000)
        yield* Effect.promise(() => client.set("what", "was kept"))
        way.cut()
        expect(yield* Effect.promise(() => client.get("what"))).toBe("was kept")
        expect(told).toEqual([`${way.url}: connection lost; reconnecting`, `${way.url}: reconnected`])
      })
  )
})
