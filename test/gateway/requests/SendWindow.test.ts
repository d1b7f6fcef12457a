/** A create that could not be sent soon after its announcement is not sent. */
import { createServer } from "node:http"
import { describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { openSendWindow } from "../../../src/gateway/requests/NamedCreate.ts"
import { InvalidResponse } from "../../../src/gateway/GatewayErrors.ts"
import { HttpTransport } from "../../../src/gateway/exchange/HttpTransport.ts"

/** A server that counts its requests, and sends them. */
const counting = Effect.gen(function* () {
  let requests = 0
  const server = yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((ready) => {
          const made = createServer((_, response) => {
            requests++
            response.end("{}")
          }).listen(0, "127.0.0.1", () => ready(made))
        })
    ),
    (server) => Effect.sync(() => void server.close().closeAllConnections())
  )
  const { send } = yield* HttpTransport
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  const post = (maySend: () => boolean) =>
    send({
      ...{ origin, path: "/", method: "POST", headers: {}, body: "{}", most: 100, maySend },
      ...{ within: "10 seconds", late: "late", tooLong: () => new InvalidResponse({ words: "long" }) }
    })
  return { post, requests: () => requests }
})

describe("a create", () => {
  it.scoped("is sent until 10 s after its announcement, by a connection that is new or not", () =>
    Effect.gen(function* () {
      const { post, requests } = yield* counting
      const maySend = yield* openSendWindow
      yield* TestClock.adjust("9 seconds")
      expect((yield* post(maySend)).status).toBe(200)
      yield* TestClock.adjust("1 second")
      expect(yield* Effect.flip(post(maySend))).toMatchObject({ _tag: "Unreachable" })
      expect(requests()).toBe(1)
      const later = yield* openSendWindow
      expect((yield* post(later)).status).toBe(200)
      expect(requests()).toBe(2)
    }).pipe(Effect.provide(HttpTransport.Default))
  )
})
