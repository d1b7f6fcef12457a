/** The tests that every cloud engine passes, against its provider's stand-in. */
import { expect, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Fiber, TestClock } from "effect"
import type { CloudSettings } from "../../../src/engines/cloud/shared/CloudSettings.ts"
import type { EngineUnavailable, SpeechFailed } from "../../../src/engines/Engine.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { type Provider, type Reply, startStandIn } from "./servers/StandIn.ts"

/** Starts the stand-in and an engine for it. */
export const started = (provider: Provider, more: Partial<CloudSettings> = {}, env = provider.env) =>
  Effect.gen(function* () {
    const server = yield* startStandIn(provider)
    const engine = yield* provider
      .make({ name: "voices", baseUrl: server.baseUrl, ...more })
      .pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)))))
    const spoken = () => server.calls.filter(provider.isSpeech)
    return { server, engine, spoken }
  })

const kindOf = (failure: EngineUnavailable | SpeechFailed): unknown =>
  failure._tag === "EngineUnavailable"
    ? failure._tag
    : failure.retryAfter === undefined
      ? failure.reason
      : [failure.reason, failure.retryAfter]

export const cloudSuite = (provider: Provider): void => {
  const { speech, refusals, env } = provider
  const usual = request(speech.voice, speech.text)
  const secrets = Object.values(env)

  /** Returns the outcome of a request for speech for each of these responses. */
  const outcomes = (...replies: ReadonlyArray<Reply>) =>
    Effect.gen(function* () {
      const { server, engine } = yield* started(provider)
      const found: Array<unknown> = []
      for (const reply of replies) {
        server.next(reply)
        const ended = yield* Effect.either(engine.speak(usual))
        // The audio is removed, because a failed test would print all of it.
        if (Either.isRight(ended)) {
          found.push("spoken")
          continue
        }
        const failure = ended.left
        expect(failure.message).not.toContain(speech.text)
        for (const secret of secrets) expect(failure.message).not.toContain(secret)
        found.push(kindOf(failure))
      }
      expect(server.broken).toEqual([])
      return found
    })

  layer(httpClient)(`${provider.name}, against its contract`, (it) => {
    it.scoped("speaks a text: the request is the documented one, and the times are its words'", () =>
      Effect.gen(function* () {
        const { server, engine, spoken } = yield* started(provider)
        const heard = yield* engine.speak(usual)
        expect(server.broken).toEqual([])
        expect(heard._tag === "Pcm" ? heard.samples.length > 20_000 : heard.bytes.length > 1_000).toBe(true)
        expect({ words: heard.words, sentences: heard.sentences }).toEqual(speech.timing)
        const [first] = spoken()
        expect({ path: first?.path, body: bodyOf(first?.body ?? "") }).toEqual(speech.request)
      })
    )

    it.scoped("lists the voices page by page, once, and filters them by language", () =>
      Effect.gen(function* () {
        const { server, engine } = yield* started(provider)
        expect((yield* engine.voices).map(({ id }) => id)).toEqual(provider.voices)
        const before = server.calls.length
        yield* engine.voices
        yield* engine.check
        expect(server.calls.length).toBe(before)
        expect(server.broken).toEqual([])
        const few = yield* started(provider, {
          languages: ["xx"],
          voices: [{ id: "own", name: "Own", languages: [] }]
        })
        expect((yield* few.engine.voices).map(({ id }) => id)).toEqual(["own"])
      })
    )

    it.scoped("keeps the controls within the provider's limits", () =>
      Effect.gen(function* () {
        const { server, engine, spoken } = yield* started(provider)
        yield* engine.speak({ ...usual, rate: 9, volume: 9, pitch: 90 })
        yield* engine.speak({ ...usual, rate: 0.01, volume: 0.01, pitch: -90 })
        const { most, least, in: stated } = provider.extremes
        expect(spoken().map(stated)).toEqual([most, least])
        expect(server.broken).toEqual([])
      })
    )

    it.scoped("refuses a text over the limit and an unknown voice before it sends them", () =>
      Effect.gen(function* () {
        const { engine, spoken } = yield* started(provider)
        const long = yield* Effect.flip(engine.speak({ ...usual, text: provider.longText }))
        const unknown = yield* Effect.flip(engine.speak({ ...usual, voice: "nobody" }))
        const silent = yield* Effect.flip(engine.speak({ ...usual, text: " — " }))
        expect([long, unknown, silent].map(kindOf)).toEqual(["too-long", "unknown-voice", "nothing-to-say"])
        expect(spoken()).toEqual([])
      })
    )

    it.scoped("tells the provider's refusals apart", () =>
      Effect.gen(function* () {
        const { key, quota, tooLong, gone, crashed, down } = refusals
        expect(yield* outcomes(tooLong, quota, crashed, down, key, gone)).toEqual([
          "too-long",
          "quota",
          "crashed",
          "EngineUnavailable",
          "EngineUnavailable",
          "unknown-voice"
        ])
      })
    )

    it.scoped("waits as long as a busy provider asks, else five seconds", () =>
      Effect.gen(function* () {
        const { busy } = refusals
        const asked = { ...busy, headers: { ...busy.headers, "retry-after": "7" } }
        expect(yield* outcomes(asked, busy)).toEqual([
          ["busy", 7],
          ["busy", 5]
        ])
      })
    )

    it.scoped("rejects what is no audio, or not all of it", () =>
      Effect.gen(function* () {
        const whole = yield* Effect.map(started(provider), ({ spoken, engine, server }) => ({
          spoken,
          engine,
          server
        }))
        yield* whole.engine.speak(usual)
        const answer = provider.answer(
          whole.spoken()[0] ?? { method: "", path: "", headers: {}, body: "" },
          false
        )
        expect(
          yield* outcomes(
            { body: "<html>Welcome to the inn!</html>", headers: { "content-type": "text/html" } },
            { body: JSON.stringify({ ok: true }), headers: { "content-type": "application/json" } },
            { ...answer, body: "" },
            { ...answer, cut: true },
            refusals.truncated
          )
        ).toEqual(["bad-output", "bad-output", "bad-output", "bad-output", "bad-output"])
      })
    )

    it.scoped("gives up on a response that does not end", () =>
      Effect.gen(function* () {
        const { server, engine } = yield* started(provider)
        server.next({ body: "....", hang: true })
        const waiting = yield* Effect.fork(Effect.flip(engine.speak(usual)))
        yield* Effect.raceFirst(server.reached, Fiber.await(waiting))
        yield* TestClock.adjust("120 seconds")
        expect(kindOf(yield* Fiber.join(waiting))).toBe("timeout")
      })
    )

    it.scoped("does not follow a redirect with the key", () =>
      Effect.gen(function* () {
        const other = yield* startStandIn(provider)
        const location = `${other.baseUrl}${speech.request.path}`
        expect(yield* outcomes({ status: 307, headers: { location }, body: "" })).toEqual([
          "EngineUnavailable"
        ])
        expect(other.calls).toEqual([])
      })
    )

    it.scoped("sends nothing without its key, and names the variable", () =>
      Effect.gen(function* () {
        const [variable = ""] = Object.keys(env)
        const { server, engine } = yield* started(provider, {}, { ...env, [variable]: "" })
        const failure = yield* Effect.flip(engine.speak(usual))
        expect(failure.message).toContain(variable)
        expect(kindOf(yield* Effect.flip(engine.check))).toBe("EngineUnavailable")
        expect(server.calls).toEqual([])
      })
    )

    it.scoped("asks for the voices again after the provider rejects the key or a voice", () =>
      Effect.gen(function* () {
        const { server, engine, spoken } = yield* started(provider)
        yield* engine.voices
        const lists = () => server.calls.length - spoken().length
        const pages = lists()
        server.next(refusals.gone)
        yield* Effect.flip(engine.speak(usual))
        yield* engine.check
        expect(lists()).toBe(2 * pages)
      })
    )

    it.scoped("keeps to the limit of requests in flight", () =>
      Effect.gen(function* () {
        const { server, engine } = yield* started(provider, { concurrency: 3 })
        const most = server.hold(3)
        yield* Effect.replicateEffect(engine.speak(usual), 9, { concurrency: "unbounded" })
        expect(most()).toBe(3)
      })
    )
  })
}

/** Returns a JSON body as a value, and any other body unchanged. */
const bodyOf = (body: string): unknown => (body.startsWith("{") ? JSON.parse(body) : body)
