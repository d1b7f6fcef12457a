/** Whatever a service responds, every call ends with a result or with one of the gateway's errors. */
import { createServer } from "node:http"
import { expect, it } from "@effect/vitest"
import {
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  FastCheck as fc,
  Layer,
  Redacted,
  Runtime
} from "effect"
import { refusalStatus } from "../../src/contract/Errors.ts"
import { Casting } from "../../src/domain/speech/Casting.ts"
import { ProviderId, TaskId, VoiceId } from "../../src/domain/values/Ids.ts"
import { profileOf } from "../../src/domain/speech/ProviderProfile.ts"
import { makeUtterance } from "../../src/domain/speech/Utterance.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { composeCreate } from "../../src/gateway/requests/NamedCreate.ts"
import { ServiceAddress } from "../../src/gateway/exchange/ServiceAddress.ts"
import { HttpTransport } from "../../src/gateway/exchange/HttpTransport.ts"

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const numbers = fc.oneof(fc.double(), fc.constantFrom(0, -1, 0.5, 1e16, 1e300, 5e-324))
const odd = fc.oneof(
  numbers,
  fc.string(),
  fc.constantFrom("", "done", "failed", "1e400", "http://", "data:,x", "//", "\u0000"),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 2 }),
  fc.record({ code: fc.string(), message: fc.string() }),
  fc.constant("8d7f9a52-0c3e-4b5e-9f5e-2f4f3f0e8a11")
)
const names = [
  ...["task_id", "id", "status", "audio_url", "credits", "duration", "voice_name", "error", "data"],
  ...["_tag", "code", "message", "retry_after", "status_code"]
]
/** JSON values that cannot be converted to text or to a number. */
const unconvertible = ['{"toString":0}', `${"[".repeat(50_000)}${"]".repeat(50_000)}`]
const fields = fc
  .array(fc.tuple(fc.constantFrom(...names, "__proto__", "task"), odd), { maxLength: 6 })
  .map((entries) => Object.fromEntries(entries))

/** A contract refusal with its own status and arbitrary values. */
const refusal = fc
  .record({
    kind: fc.constantFrom(...Object.entries(refusalStatus)),
    code: fc.constantFrom("rate_limited", "draining", "text_too_long", "internal"),
    more: fc.record({ retry_after: numbers, max: odd }, { requiredKeys: ["retry_after"] })
  })
  .map(({ kind: [tag, status], code, more }) => ({
    status,
    body: JSON.stringify({ _tag: tag, code, message: "no", ...more })
  }))

const answers: fc.Arbitrary<Answer> = fc
  .tuple(
    fc.oneof(
      refusal,
      fc.record({
        status: fc.constantFrom(200, 201, 202, 204, 302, 307, 400, 404, 408, 418, 429, 500, 503, 599),
        body: fc.oneof(
          fields.map((body) => JSON.stringify(body)),
          fc.json(),
          fc.string()
        )
      })
    ),
    fc.record({ location: fc.webUrl(), "retry-after": numbers.map(String) }, { requiredKeys: [] })
  )
  .map(([answer, headers]) => ({ ...answer, headers }))

/** Each field with a value that cannot be converted, in a success and in a contract refusal. */
const unconvertibleAnswers: ReadonlyArray<Answer> = unconvertible.flatMap((value) =>
  names.flatMap((name) => [
    { status: 200, headers: {}, body: `{"${name}":${value}}` },
    { status: 429, headers: {}, body: `{"_tag":"TooManyRequests","${name}":${value}}` }
  ])
)

const utterance = makeUtterance(
  Casting.make({ provider: ProviderId.make("provider_native"), voice: VoiceId.make("v") }),
  "text",
  "Hello.",
  ["Hello."]
)
const task = TaskId.make("8d7f9a52-0c3e-4b5e-9f5e-2f4f3f0e8a12")

/** A clock that does not wait: a sleep moves it. */
const hastyClock = (): Clock.Clock => {
  let now = Date.now()
  const nanos = () => BigInt(now) * 1_000_000n
  return {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (wait) => Effect.sync(() => void (now += Math.ceil(Duration.toMillis(wait))))
  }
}

it.scopedLive("ends every call, whatever the response", () =>
  Effect.gen(function* () {
    let next: Answer = { status: 200, headers: {}, body: "" }
    const service = createServer((request, response) => {
      request.resume()
      response.writeHead(next.status, next.headers)
      response.end(next.body)
    })
    yield* Effect.promise(() => new Promise<void>((ready) => service.listen(0, "127.0.0.1", ready)))
    yield* Effect.addFinalizer(() => Effect.sync(() => service.close()))
    const bound = service.address()
    const port = typeof bound === "object" ? bound?.port : bound
    const address = Layer.succeed(ServiceAddress, {
      baseUrl: new URL(`http://127.0.0.1:${port}`),
      key: Redacted.make("k"),
      answerWithin: "5 seconds",
      audioWithin: "5 seconds"
    })
    const door = yield* Layer.build(
      Layer.provide(Gateway.Default, Layer.merge(HttpTransport.Default, address))
    )
    const gateway = Context.get(door, Gateway)
    const runtime = yield* Effect.runtime()
    const ended = async <A, E>(call: Effect.Effect<A, E>): Promise<"had" | "not"> => {
      const exit = await Runtime.runPromise(runtime)(Effect.timeoutOption(Effect.exit(call), "5 seconds"))
      if (exit._tag === "None") throw new Error("the call did not end")
      if (Exit.isFailure(exit.value))
        expect(exit.value.cause._tag, Cause.pretty(exit.value.cause, { renderErrorCause: true })).toBe("Fail")
      return Exit.isSuccess(exit.value) ? "had" : "not"
    }
    const ways = new Set<string>()
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(answers, async (answer) => {
          next = answer
          const look = gateway.look(task).pipe(
            Effect.tapError((fault) => {
              // A rate limit stays one, however long the requested wait is.
              if (answer.status === 429) expect(fault._tag).toBe("SlowDown")
              return Effect.void
            })
          )
          ways.add(await ended(look))
          ways.add(
            await ended(
              gateway.submit(composeCreate(utterance, "ep01 #1", profileOf(utterance.casting.provider)))
            )
          )
          ways.add(await ended(gateway.ping))
          ways.add(await ended(gateway.balance))
        }),
        { numRuns: 500, examples: unconvertibleAnswers.map((answer) => [answer]) }
      )
    )
    const { credits, providers, models, voices, tasks } = gateway.reads
    const retried: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      credits,
      providers,
      models(),
      voices({}),
      tasks({}),
      gateway.history(0),
      gateway.remove(task)
    ]
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(answers, async (answer) => {
          next = answer
          for (const call of retried) ways.add(await ended(Effect.withClock(call, hastyClock())))
        }),
        { numRuns: 40, examples: unconvertibleAnswers.slice(0, 2).map((answer) => [answer]) }
      )
    )
    expect(ways).toEqual(new Set(["had", "not"]))
  })
)
