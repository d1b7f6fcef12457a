/** The engine of neural voices, with the real sherpa-onnx and voices of 1 kB. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { afterAll } from "vitest"
import type { Engine } from "../../../src/engines/Engine.ts"
import { makeSherpaEngine, type SherpaOptions } from "../../../src/engines/neural/SherpaEngine.ts"
import { withoutDescriptors } from "../../system/Descriptors.ts"
import { digest, lengthOf, levelOf, pcm, request } from "../speech.ts"
import { writePhonemeVoice, writePiperVoice, writeSpellingVoice } from "./tinyVoice.ts"
import { isRunning, wrappedSherpa } from "./wrappedSherpa.ts"

const home = mkdtempSync(join(tmpdir(), "dubwright-neural-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const voices = [
  { id: "letters", name: "Letters", path: writeSpellingVoice(join(home, "letters")) },
  { id: "three", name: "Three", path: writePhonemeVoice(join(home, "three"), { speakers: 3, rate: 16_000 }) },
  { id: "anna", name: "Anna", path: writePiperVoice(join(home, "piper"), "vi_VN-anna-low") },
  { id: "broken", name: "Broken", path: join(home, "missing") }
]
const options: SherpaOptions = { name: "neural", voices, cache: join(home, "cache"), processes: 2 }

class Neural extends Context.Tag("test/Neural")<Neural, Engine>() {}

const speakWith = (engine: Engine, ...args: Parameters<typeof request>) =>
  Effect.map(engine.speak(request(...args)), pcm)
const speak = (...args: Parameters<typeof request>) =>
  Effect.flatMap(Neural, (engine) => speakWith(engine, ...args))
const refusal = (...args: Parameters<typeof request>) => Effect.flip(speak(...args))

layer(Layer.scoped(Neural, makeSherpaEngine(options)), { excludeTestServices: true })("sherpa-onnx", (it) => {
  it.effect("lists every speaker of every usable voice", () =>
    Effect.gen(function* () {
      const engine = yield* Neural
      yield* engine.check
      expect(yield* engine.voices).toEqual([
        { id: "letters", name: "Letters", languages: ["en-US"] },
        { id: "three.0", name: "Three, speaker 0", languages: ["en-US"] },
        { id: "three.1", name: "Three, speaker 1", languages: ["en-US"] },
        { id: "three.2", name: "Three, speaker 2", languages: ["en-US"] },
        { id: "anna", name: "Anna", languages: ["vi-VN"] }
      ])
    })
  )

  it.effect("times sentences, leaves words untimed, and joins sentences with a pause", () =>
    Effect.gen(function* () {
      const speech = yield* speak("letters", "Good evening. Come in!")
      const [first, second] = speech.sentences
      expect(speech.words).toEqual([])
      expect(speech.sentences.map(({ text }) => text)).toEqual(["Good evening.", "Come in!"])
      expect((second?.start ?? 0) - (first?.end ?? 0)).toBe(300)
      expect(first?.start).toBe(0)
      expect(second?.end).toBe(Math.round(lengthOf(speech)))
      expect(levelOf(speech, (first?.end ?? 0) + 1, (second?.start ?? 0) - 1)).toBe(0)
      expect(levelOf(speech, 0, first?.end ?? 0)).toBeGreaterThan(0.05)
    })
  )

  it.effect("gives the same samples for the same text, in any process", () =>
    Effect.gen(function* () {
      const all = yield* Effect.forEach(
        Array.from({ length: 8 }, () => ["letters", "anna"]).flat(),
        (voice) => Effect.map(speak(voice, "Xin chào các bạn, hello."), digest),
        { concurrency: 4 }
      )
      expect(new Set(all.filter((_, index) => index % 2 === 0)).size).toBe(1)
      expect(new Set(all.filter((_, index) => index % 2 === 1)).size).toBe(1)
    })
  )

  it.effect("every speaker sounds different, at the model's sample rate", () =>
    Effect.gen(function* () {
      const spoken = yield* Effect.forEach(["three.0", "three.1", "three.2"], (voice) =>
        speak(voice, "Hello")
      )
      expect(spoken.map(({ rate }) => rate)).toEqual([16_000, 16_000, 16_000])
      expect(new Set(spoken.map(digest)).size).toBe(3)
    })
  )

  it.effect("speaks faster and slower, within limits", () =>
    Effect.gen(function* () {
      const length = (rate: number) => Effect.map(speak("letters", "Good evening", { rate }), lengthOf)
      const usual = yield* length(1)
      expect((yield* length(2)) / usual).toBeCloseTo(0.5, 1)
      expect((yield* length(0.5)) / usual).toBeCloseTo(2, 1)
      expect(yield* length(9)).toBe(yield* length(2))
    })
  )

  it.effect("keeps the pauses that a model makes inside a sentence", () =>
    Effect.gen(function* () {
      // Ten silent symbols of 41 ms each: sherpa-onnx would cut them to a fifth.
      const apart = lengthOf(yield* speak("letters", "a,,,,,,,,,,b"))
      const close = lengthOf(yield* speak("letters", "ab"))
      expect(apart - close).toBeCloseTo((10 * 900) / 22.05, 0)
    })
  )

  it.effect("rejects what it cannot speak, and says why", () =>
    Effect.gen(function* () {
      const all = yield* Effect.all([
        refusal("nobody", "Hello"),
        refusal("three", "Hello"),
        refusal("three.3", "Hello"),
        refusal("letters", "🎉 … ♪"),
        refusal("letters", "Привет, как дела?"),
        // The model of letters has no Greek ones: it returns nothing.
        refusal("letters", "Ωδή")
      ])
      expect(all.map((failure) => ("reason" in failure ? failure.reason : failure._tag))).toEqual([
        "unknown-voice",
        "unknown-voice",
        "unknown-voice",
        "nothing-to-say",
        "nothing-to-say",
        "bad-output"
      ])
      expect(all[2]?.message).toBe(
        'engine neural: no voice "three.3"; expected one of letters, three.0, three.1, three.2, anna'
      )
    })
  )
})

const folder = (name: string) => join(home, name)
const one = [{ id: "letters", name: "Letters", path: folder("letters") }]

it.scopedLive("splits long sentences, and limits the length of speech", () =>
  Effect.gen(function* () {
    const wrapped = wrappedSherpa(folder("long"))
    const engine = yield* makeSherpaEngine({ ...options, ...wrapped, voices: one, maxSeconds: 60 })
    const speech = yield* speakWith(engine, "letters", "we walk, and ".repeat(100))
    expect(speech.sentences.length).toBe(1)
    expect(wrapped.calls().every(({ text }) => Buffer.byteLength(text) <= 400)).toBe(true)
    expect(wrapped.calls().length).toBeGreaterThan(2)
    const failure = yield* Effect.flip(speakWith(engine, "letters", "we walk, and ".repeat(1_000)))
    expect(failure).toMatchObject({ reason: "too-long" })
  })
)

it.scopedLive("recovers from crashes, and keeps the text out of errors", () =>
  Effect.gen(function* () {
    const wrapped = wrappedSherpa(folder("crash"))
    const engine = yield* makeSherpaEngine({ ...options, ...wrapped, voices: one, processes: 1 })
    const before = digest(yield* speakWith(engine, "letters", "hello"))
    const failures = yield* Effect.forEach(["abort", "exit", "reject"], (word) =>
      Effect.flip(speakWith(engine, "letters", `${word} secret`))
    )
    expect(failures.map(({ message }) => message)).toEqual([
      "engine neural: the process of the voice ended with SIGABRT",
      "engine neural: the process of the voice ended with code 255",
      "engine neural: sherpa-onnx returned no audio for a sentence (Error)"
    ])
    expect(failures.map((failure) => ("reason" in failure ? failure.reason : ""))).toEqual([
      "crashed",
      "crashed",
      "bad-output"
    ])
    expect(digest(yield* speakWith(engine, "letters", "hello"))).toBe(before)
    expect(new Set(wrapped.calls().map(({ process }) => process)).size).toBe(3)
  })
)

it.scopedLive("kills the process of a speech that is interrupted or takes too long", () =>
  Effect.gen(function* () {
    const wrapped = wrappedSherpa(folder("cancel"))
    const engine = yield* makeSherpaEngine({ ...options, ...wrapped, voices: one, deadline: "2 seconds" })
    const speaking = yield* Effect.fork(speakWith(engine, "letters", "hang one"))
    const first = yield* wrapped.called("hang one")
    yield* Fiber.interrupt(speaking)
    expect(isRunning(first)).toBe(false)
    const failure = yield* Effect.flip(speakWith(engine, "letters", "hang two"))
    expect(failure).toMatchObject({ reason: "timeout", detail: "no speech within 2s" })
    expect(isRunning(yield* wrapped.called("hang two"))).toBe(false)
    yield* speakWith(engine, "letters", "hello")
  })
)

it.live("replaces a process that has grown too large, and ends all of them with the engine", () =>
  Effect.gen(function* () {
    const wrapped = wrappedSherpa(folder("memory"))
    const say = (engine: Engine) =>
      Effect.forEach(["one", "two", "three"], (word) => speakWith(engine, "letters", word))
    const same = { ...options, ...wrapped, voices: one }
    yield* Effect.scoped(Effect.flatMap(makeSherpaEngine(same), say))
    const [first] = wrapped.calls()
    expect(wrapped.calls().map(({ process }) => process === first?.process)).toEqual([true, true, true])
    yield* Effect.scoped(Effect.flatMap(makeSherpaEngine({ ...same, memory: 1_000_000 }), say))
    expect(new Set(wrapped.calls().map(({ process }) => process)).size).toBe(4)
    expect(wrapped.calls().filter(({ process }) => isRunning(process))).toEqual([])
  })
)

it.scopedLive("says what is missing: voices, their files, and sherpa-onnx itself", () =>
  Effect.gen(function* () {
    const checked = (more: Partial<SherpaOptions>) =>
      Effect.map(
        Effect.flip(Effect.flatMap(makeSherpaEngine({ ...options, ...more }), ({ check }) => check)),
        ({ message }) => message.replaceAll(home, "")
      )
    expect(
      yield* Effect.all([
        checked({ voices: [] }),
        checked({ voices: voices.slice(3) }),
        checked({ packages: [] })
      ])
    ).toEqual([
      "engine neural is unavailable: no neural voice is installed; add one with dubwright voices add",
      "engine neural is unavailable: /missing: no such voice or folder; dubwright voices list shows the installed ones",
      "engine neural is unavailable: sherpa-onnx is not installed; run npm install -g sherpa-onnx-node@1.13.8 (on Alpine Linux and other systems without a native build: sherpa-onnx@1.13.8)"
    ])
    // A package that does not load, and one without the functions in use.
    const engine = yield* makeSherpaEngine({
      ...options,
      voices: one,
      packages: [
        { kind: "native", file: folder("none.cjs") },
        { kind: "wasm", file: join(process.cwd(), "package.json") }
      ]
    })
    expect((yield* Effect.flip(speakWith(engine, "letters", "hello"))).message).toMatch(
      /^engine neural is unavailable: the model cannot be loaded: sherpa-onnx-node has no build for this system; sherpa-onnx /u
    )
  })
)

it.live.skipIf(process.platform === "win32")("is unavailable while no file descriptor is free", () =>
  Effect.gen(function* () {
    const engine = yield* makeSherpaEngine(options)
    yield* engine.voices
    const failed = yield* Effect.flip(withoutDescriptors(engine.speak(request("letters", "Words."))))
    expect(failed._tag).toBe("EngineUnavailable")
    expect(pcm(yield* engine.speak(request("letters", "Words."))).words).toEqual([])
  }).pipe(Effect.scoped)
)
