/** A request counts as never sent only if it was not started. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createServer } from "node:http"
import { Socket } from "node:net"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { InvalidResponse, Unreachable } from "../../../src/gateway/GatewayErrors.ts"
import { HttpTransport } from "../../../src/gateway/exchange/HttpTransport.ts"

/** The sockets over which undici has connected. */
const connections = Effect.acquireRelease(
  Effect.sync(() => {
    const sockets: Array<Socket> = []
    const seen = (message: unknown) => {
      if (typeof message === "object" && message !== null && "socket" in message)
        if (message.socket instanceof Socket) sockets.push(message.socket)
    }
    subscribe("undici:client:connected", seen)
    return { sockets, seen }
  }),
  ({ seen }) => Effect.sync(() => unsubscribe("undici:client:connected", seen))
)

/** A service on loopback that receives a request and never answers. */
const silent = (received: () => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request) => request.resume().on("end", received))
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const stop = () =>
        new Promise((stopped) => {
          server.close(stopped)
          server.closeAllConnections()
        })
      return { origin: `http://127.0.0.1:${port}`, stop }
    }),
    ({ stop }) => Effect.promise(stop)
  )

for (const [code, errno] of [
  ["EHOSTUNREACH", -113],
  ["ENETUNREACH", -101]
] as const)
  it.scoped(`a create may have reached the service if its connection fails with ${code}`, () =>
    Effect.gen(function* () {
      const { sockets } = yield* connections
      let received = 0
      const { origin, stop } = yield* silent(() => {
        received++
        // As Node does if the system's read fails.
        for (const socket of sockets)
          socket.destroy(Object.assign(new Error(`read ${code}`), { code, errno, syscall: "read" }))
      })
      const { send } = yield* HttpTransport
      const create = send({
        ...{ origin, path: "/v1/text-to-speech/v", method: "POST", headers: {}, body: '{"text":"x"}' },
        ...{
          most: 100,
          tooLong: () => new InvalidResponse({ words: "long" }),
          within: "10 seconds",
          late: "late"
        }
      })
      expect(yield* Effect.flip(create)).toEqual(new InvalidResponse({ words: `read ${code}`, code }))
      expect(received).toBe(1)
      // Without a connection, it has certainly not.
      yield* Effect.promise(stop)
      expect(yield* Effect.flip(create)).toEqual(
        new Unreachable({
          words: `connect ECONNREFUSED ${new URL(origin).host}`,
          code: "ECONNREFUSED"
        })
      )
      expect(received).toBe(1)
    }).pipe(Effect.provide(HttpTransport.Default))
  )
