/** A wrong address ends a run within seconds. A service that restarts or sends any response does not end it. */
import { expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, TestClock } from "effect"
import { InvalidResponse, type CallFault, SlowDown, Unreachable } from "../../../src/gateway/GatewayErrors.ts"
import { Gateway } from "../../../src/gateway/Gateway.ts"
import { Progress, type ProgressEvent } from "../../../src/pipeline/Progress.ts"
import { absence, greeted } from "../../../src/pipeline/plan/ServicePresence.ts"
import { readsOf } from "../StandIn.ts"

const refused = new Unreachable({ words: "connect ECONNREFUSED 127.0.0.1:9", code: "ECONNREFUSED" })

/**
 * Pings a service that fails the first calls with these faults and answers the next. The clock runs for ten seconds.
 */
const greeting = (faults: ReadonlyArray<CallFault>) =>
  Effect.gen(function* () {
    const events: Array<ProgressEvent> = []
    let calls = 0
    const ping = Effect.suspend(() => {
      const fault = faults[calls++]
      return fault === undefined ? Effect.void : Effect.fail(fault)
    })
    const fiber = yield* Effect.fork(
      Effect.either(greeted({ service: { baseUrl: "http://me:secret@127.0.0.1:9/" } })).pipe(
        Effect.provide(
          Layer.merge(
            Layer.mock(Gateway, { _tag: "gateway/Gateway", ping, reads: readsOf(Effect.fail(refused)) }),
            Layer.succeed(Progress, { emit: (event) => Effect.sync(() => void events.push(event)) })
          )
        )
      )
    )
    yield* TestClock.adjust("10 seconds")
    const end = yield* Fiber.join(fiber)
    const said = events.map((event) => (event._tag === "Warning" ? event.message : event._tag))
    return { end: Either.isLeft(end) ? end.left.message : "greeted", said, calls }
  })

const trying =
  "http://127.0.0.1:9: connection refused (connect ECONNREFUSED 127.0.0.1:9); retrying for 8 seconds"

it.effect("fails within seconds if the connection is refused", () =>
  Effect.gen(function* () {
    expect(yield* greeting(Array.from({ length: 20 }, () => refused))).toEqual({
      end: "http://127.0.0.1:9: connection refused (connect ECONNREFUSED 127.0.0.1:9); check the port of --base-url or service:, and that the service is running, then run again",
      said: [trying],
      calls: 5
    })
  })
)

it.effect("waits for a service that is restarting", () =>
  Effect.gen(function* () {
    expect(yield* greeting([refused, refused, refused])).toEqual({ end: "greeted", said: [trying], calls: 4 })
  })
)

it.effect("leaves transient faults to the run's own retries", () =>
  Effect.gen(function* () {
    const faults = [
      new InvalidResponse({ words: "reset", code: "ECONNRESET" }),
      new SlowDown({ words: "starting" }),
      new Unreachable({ words: "no route", code: "EHOSTUNREACH" }),
      new Unreachable({ words: "no answer within 60s" })
    ]
    for (const fault of faults)
      expect(yield* greeting([fault])).toEqual({
        end: "greeted",
        said: [`${fault.message}; requests will be retried`],
        calls: 1
      })
  })
)

it("identifies a wrong host and a failed TLS connection by error code", () => {
  const words = (code: string) => absence(new Unreachable({ words: "w", code }))?.words
  expect(["ENOTFOUND", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "EAI_AGAIN"].map(words)).toEqual([
    "unknown host (w)",
    "the TLS connection failed (w)",
    "the TLS connection failed (w)",
    undefined
  ])
})
