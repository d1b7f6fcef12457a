import { spawnSync } from "node:child_process"
import { expect, it, layer } from "@effect/vitest"
import { Context, Effect, Either, Fiber, Layer } from "effect"
import type { Engine } from "../../../src/engines/Engine.ts"
import { espeakVoices } from "../../../src/engines/BundledVoices.ts"
import { makeWorkerPool } from "../../../src/engines/local/WorkerPool.ts"
import { engineVoices } from "../../../src/engines/local/WorkerVoices.ts"
import { makeEspeakEngine } from "../../../src/engines/local/EspeakEngine.ts"
import { digest, lengthOf, levelOf, pcm, peakOf, request, voicePitch } from "../speech.ts"

class Espeak extends Context.Tag("test/Espeak")<Espeak, Engine>() {}

const speak = (...args: Parameters<typeof request>) =>
  Effect.flatMap(Espeak, (engine) => Effect.map(engine.speak(request(...args)), pcm))
const refusal = (...args: Parameters<typeof request>) =>
  Effect.map(Effect.flip(speak(...args)), (failure) => ("reason" in failure ? failure.reason : failure._tag))

const one = "The lighthouse keeper counts 25 ships, and it's getting late."
const other = "Ngày 15/3 anh ấy lên Facebook lúc 10:30, nhiệt độ là 35°C."

it.scopedLive("the voices known in advance are those that the engine lists", () =>
  Effect.gen(function* () {
    const own = yield* engineVoices(yield* makeWorkerPool("espeak", { size: 1 }), "espeak")
    expect((yield* own).voices).toEqual(espeakVoices)
  })
)

layer(Layer.scoped(Espeak, makeEspeakEngine({ size: 2 })), { excludeTestServices: true })(
  "eSpeak NG",
  (it) => {
    it.effect("lists every language and voice with usable ids", () =>
      Effect.gen(function* () {
        const engine = yield* Espeak
        yield* engine.check
        const voices = yield* engine.voices
        expect(voices.length).toBe(140)
        expect(new Set(voices.map(({ id }) => id)).size).toBe(140)
        expect(voices.filter(({ id }) => id.startsWith("vi") || id === "en-us")).toEqual([
          { id: "en-us", name: "English (America)", languages: ["en-US", "en"] },
          { id: "vi", name: "Vietnamese (Northern)", languages: ["vi"] },
          { id: "vi-vn-x-central", name: "Vietnamese (Central)", languages: ["vi-VN-x-central"] },
          { id: "vi-vn-x-south", name: "Vietnamese (Southern)", languages: ["vi-VN-x-south"] }
        ])
      })
    )

    it.effect("every listed voice speaks differently, or reports that it cannot", () =>
      Effect.gen(function* () {
        const voices = yield* (yield* Espeak).voices
        const spoken = yield* Effect.forEach(
          voices,
          ({ id }) =>
            Effect.match(speak(id, "1 2 3"), {
              onSuccess: (speech) => ({ id, said: lengthOf(speech) > 300 ? digest(speech) : "too short" }),
              onFailure: (failure) => ({ id, said: "reason" in failure ? failure.reason : failure._tag })
            }),
          { concurrency: 4 }
        )
        // Three voices can only spell letters.
        expect(spoken.filter(({ said }) => said === "nothing-to-say").map(({ id }) => id)).toEqual([
          "chr",
          "cv",
          "sjn"
        ])
        expect(spoken.filter(({ said }) => said.length < 64).length).toBe(3)
        // A few dialects pronounce these numbers the same.
        expect(new Set(spoken.map(({ said }) => said)).size).toBeGreaterThan(125)
      })
    )

    it.effect("speaks words for which the engine reports no time, alone and between others", () =>
      Effect.gen(function* () {
        // eSpeak NG 1.52 reports no word event for Korean words with 지.
        const alone = yield* speak("ko", "나도 모르지.")
        expect(alone.words.map(({ text }) => text)).toEqual(["나도", "모르지."])
        expect(lengthOf(alone)).toBeGreaterThan(500)
        const between = yield* speak("ko", "어디 가? 나도 모르지. 어디 가?")
        const without = yield* speak("ko", "어디 가? 어디 가?")
        expect(lengthOf(between) - lengthOf(without)).toBeGreaterThan(500)
      })
    )

    it.effect("the same text gives the same samples on any thread, in any order", () =>
      Effect.gen(function* () {
        const first = digest(yield* speak("en-us", one))
        const second = digest(yield* speak("vi+f3", other))
        yield* Effect.exit(speak("de", "<break time='3s'/> & [[h@'loU]]"))
        const many = yield* Effect.forEach(
          Array.from({ length: 24 }, (_, index) => index),
          (index) => (index % 2 === 0 ? speak("en-us", one) : speak("vi+f3", other, { language: "vi" })),
          { concurrency: 8 }
        )
        expect(new Set(many.map(digest))).toEqual(new Set([first, second]))
        const fresh = yield* Effect.scoped(
          Effect.flatMap(makeEspeakEngine({ size: 1 }), (engine) => engine.speak(request("vi+f3", other)))
        )
        expect(digest(pcm(fresh))).toBe(second)
      })
    )

    it.effect("gives the same samples in another process", () =>
      Effect.gen(function* () {
        const run = spawnSync(
          process.execPath,
          ["--eval", otherProcess, JSON.stringify(["vi", "một", "hai"])],
          {
            encoding: "utf8"
          }
        )
        expect(run.stdout.trim()).toBe(digest(yield* speak("vi", "một hai")))
      })
    )

    it.effect("reports words and sentences as written, with their times", () =>
      Effect.gen(function* () {
        const text = "Mr. Ng paid $25 — 🙂 gladly! Then he\nleft <b>the</b> house of   glass."
        const speech = yield* speak("en-us", text)
        expect(speech.words.map((mark) => mark.text)).toEqual(
          "Mr.,Ng,paid,$25,gladly!,Then,he,left,<b>the</b>,house,of,glass.".split(",")
        )
        expect(speech.sentences.map((mark) => mark.text)).toEqual([
          "Mr. Ng paid $25 — 🙂 gladly!",
          "Then he left <b>the</b> house of glass."
        ])
        for (const [index, mark] of speech.words.entries()) {
          expect(mark.start).toBeGreaterThanOrEqual(speech.words[index - 1]?.end ?? 0)
          expect(levelOf(speech, mark.start, mark.end)).toBeGreaterThan(0.01)
        }
        expect(speech.words.at(-1)?.end).toBeLessThanOrEqual(lengthOf(speech))
        // It is silent between two sentences.
        expect(
          levelOf(speech, (speech.sentences[0]?.end ?? 0) + 30, (speech.sentences[1]?.start ?? 0) - 10)
        ).toBeLessThan(0.001)
        expect(speech.sentences[1]?.start).toBe(speech.words[5]?.start)
      })
    )

    it.effect("the times match those of the same words spoken alone", () =>
      Effect.gen(function* () {
        const speech = yield* speak("vi", "Số 1.234.567 là số lớn.")
        const [, number] = speech.words
        const alone = yield* speak("vi", "1.234.567")
        expect(Math.abs((number?.end ?? 0) - (number?.start ?? 0) - lengthOf(alone))).toBeLessThan(150)
      })
    )

    it.effect("markup is treated as words and does not change how the rest is spoken", () =>
      Effect.gen(function* () {
        const plain = yield* speak("en-us", "hello there")
        const marked = yield* speak("en-us", '<prosody rate="300%"> hello there')
        const spokenLength = (marked.words.at(-1)?.end ?? 0) - (marked.words.at(-2)?.start ?? 0)
        expect(Math.abs(spokenLength - lengthOf(plain))).toBeLessThan(60)
      })
    )

    it.effect("applies rate, pitch and volume", () =>
      Effect.gen(function* () {
        const normal = yield* speak("en-us", one)
        expect(lengthOf(normal) / lengthOf(yield* speak("en-us", one, { rate: 2 }))).toBeCloseTo(2, 0)
        expect(lengthOf(yield* speak("en-us", one, { rate: 0.5 })) / lengthOf(normal)).toBeCloseTo(2, 0)
        const octave = voicePitch(yield* speak("en-us", one, { pitch: 12 })) / voicePitch(normal)
        expect(octave).toBeGreaterThan(1.7)
        expect(octave).toBeLessThan(2.3)
        const quiet = yield* speak("en-us", one, { volume: 0.5 })
        expect(peakOf(quiet) / peakOf(normal)).toBeCloseTo(0.5, 1)
        expect(peakOf(yield* speak("en-us", one, { volume: 4 }))).toBeLessThan(32_767)
      })
    )

    it.effect("speaks English words in Vietnamese text as English", () =>
      Effect.gen(function* () {
        // Spelled letter by letter, the word would take more than a second.
        const speech = yield* speak("vi-vn-x-south", "Tôi dùng Google mỗi ngày")
        const google = speech.words.find((mark) => mark.text === "Google")
        expect((google?.end ?? 0) - (google?.start ?? 0)).toBeLessThan(500)
      })
    )

    it.effect("rejects an unknown voice or variant instead of using another", () =>
      Effect.gen(function* () {
        yield* speak("vi", "một")
        for (const voice of ["xx", "en-us+nobody", "../en", "", "+f3", "en-us+../f3", "vi+f3+f4"]) {
          expect(yield* refusal(voice, "one")).toBe("unknown-voice")
        }
      })
    )

    it.effect("rejects text with nothing to say", () =>
      Effect.gen(function* () {
        for (const text of ["", " \n ", "...", "—", "♪ ♫", "🙂", "!?", "- -", "\u200b"]) {
          expect(yield* refusal("en-us", text)).toBe("nothing-to-say")
        }
      })
    )

    it.effect("rejects text in a script that the voice can only spell, except for a name or two", () =>
      Effect.gen(function* () {
        const hello = "今天天气很好。"
        for (const [voice, text] of [
          ["en-us", hello],
          ["vi", "Привет, как дела?"],
          ["de", "สวัสดีครับ"],
          ["es", "مرحبا بالعالم"],
          ["cmn", "おはようございます"],
          ["ja", "今日はいい日だ"]
        ] as const) {
          expect(yield* refusal(voice, text), `${voice} ${text}`).toBe("nothing-to-say")
        }
        for (const [voice, text] of [
          ["cmn", hello],
          ["ja", "きょうはいいひだ"],
          ["uk", "Привіт, як справи?"],
          ["en-us", "The sign says 李, which is a name."],
          ["fr", "Ελλάδα"]
        ] as const) {
          expect(lengthOf(yield* speak(voice, text)), `${voice} ${text}`).toBeGreaterThan(300)
        }
      })
    )

    it.effect(
      "speaks long texts, long numbers and long words in parts, and rejects texts over the time limit",
      () =>
        Effect.gen(function* () {
          const long = yield* speak("en-us", "The same short sentence. ".repeat(60).trim(), { rate: 2 })
          expect(long.sentences.length).toBe(60)
          expect(lengthOf(long)).toBeGreaterThan(50_000)
          // No words are lost: twice the words take twice the time.
          for (const [voice, word] of [
            ["en-us", "9"],
            ["en-us", "w "],
            ["en-us", "abc"],
            ["vi", "mười "],
            ["hi", "नमस्ते "],
            ["cmn", "漢字"],
            ["th", "สวัสดี"]
          ] as const) {
            const once = lengthOf(yield* speak(voice, word.repeat(60)))
            const twice = lengthOf(yield* speak(voice, word.repeat(120)))
            expect([voice, word, Math.round((10 * twice) / once) / 10]).toEqual([voice, word, 2])
          }
          expect((yield* speak("en-us", "a".repeat(1_500))).words.length).toBe(1)
          const strict = makeEspeakEngine({ size: 1, maxSeconds: 20 })
          const endless = yield* Effect.scoped(
            Effect.flatMap(strict, (engine) =>
              Effect.either(engine.speak(request("en-us", "9 ".repeat(50_000))))
            )
          )
          expect(Either.isLeft(endless) && "reason" in endless.left && endless.left.reason).toBe("too-long")
        })
    )

    it.effect("still works after an interrupted request", () =>
      Effect.gen(function* () {
        const before = digest(yield* speak("en-us", one))
        const fibers = yield* Effect.forEach(Array.from({ length: 6 }), () =>
          Effect.fork(speak("en-us", "A sentence that will not be finished. ".repeat(200)))
        )
        yield* Effect.yieldNow()
        yield* Fiber.interruptAll(fibers)
        expect(digest(yield* speak("en-us", one))).toBe(before)
      })
    )
  }
)

/** A script that speaks words in a thread and prints the samples' hash. */
const otherProcess = `
const { createHash } = require("node:crypto")
const { Worker } = require("node:worker_threads")
const [voice, ...words] = JSON.parse(process.argv[1])
const workerData = { engine: "espeak", givesWay: false }
const worker = new Worker("./dist/engine-worker.mjs", { workerData, execArgv: [] })
worker.postMessage({ id: 1, request: "open" })
worker.on("message", ({ id, response }) => {
  if (id === 1) {
    const pieces = words.map((text) => ({ text, english: false }))
    worker.postMessage({ id: 2, request: { _tag: "Sentence", voice, rate: 1, pitch: 0, pieces } })
  } else {
    console.log(createHash("sha256").update(response.samples).digest("hex"))
    worker.terminate()
  }
})
`
