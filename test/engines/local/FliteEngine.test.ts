import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Engine } from "../../../src/engines/Engine.ts"
import { makeFliteEngine } from "../../../src/engines/local/FliteEngine.ts"
import { digest, lengthOf, levelOf, pcm, peakOf, request, voicePitch } from "../speech.ts"

class Flite extends Context.Tag("test/Flite")<Flite, Engine>() {}

const speak = (...args: Parameters<typeof request>) =>
  Effect.flatMap(Flite, (engine) => Effect.map(engine.speak(request(...args)), pcm))
const refusal = (...args: Parameters<typeof request>) =>
  Effect.map(Effect.flip(speak(...args)), (failure) => ("reason" in failure ? failure.reason : failure._tag))

const text = "The lighthouse keeper counts 25 ships, and it's getting late."

layer(Layer.scoped(Flite, makeFliteEngine({ size: 2 })), { excludeTestServices: true })("Flite", (it) => {
  it.effect("lists its voices, and each speaks differently", () =>
    Effect.gen(function* () {
      const engine = yield* Flite
      yield* engine.check
      const voices = yield* engine.voices
      expect(voices.map(({ id, languages }) => [id, ...languages])).toEqual([
        ["slt", "en-US"],
        ["rms", "en-US"],
        ["awb", "en-GB"],
        ["kal", "en-US"],
        ["kal16", "en-US"]
      ])
      const spoken = yield* Effect.forEach(voices, ({ id }) => speak(id, text))
      expect(spoken.map(({ rate }) => rate)).toEqual([16_000, 16_000, 16_000, 8_000, 16_000])
      expect(new Set(spoken.map(digest)).size).toBe(5)
    })
  )

  it.effect("the same text gives the same samples, whatever was spoken before", () =>
    Effect.gen(function* () {
      const first = digest(yield* speak("slt", text))
      yield* speak("rms", "Something else; entirely.")
      const many = yield* Effect.forEach([1, 2, 3, 4], () => speak("slt", text), { concurrency: 4 })
      expect(new Set(many.map(digest))).toEqual(new Set([first]))
    })
  )

  it.effect("reports words and sentences as written, with their times", () =>
    Effect.gen(function* () {
      const speech = yield* speak(
        "slt",
        "Mr. Ng paid $25 — 🙂 “gladly”! Then he\nleft a café, 世界 of   glass."
      )
      expect(speech.words.map((mark) => mark.text)).toEqual(
        "Mr.|Ng|paid|$25|“gladly”!|Then|he|left|a|café,|of|glass.".split("|")
      )
      expect(speech.sentences.map((mark) => mark.text)).toEqual([
        "Mr. Ng paid $25 — 🙂 “gladly”!",
        "Then he left a café, 世界 of glass."
      ])
      for (const [index, mark] of speech.words.entries()) {
        expect(mark.start).toBeGreaterThanOrEqual(speech.words[index - 1]?.end ?? 0)
        expect(levelOf(speech, mark.start, mark.end)).toBeGreaterThan(0.004)
      }
      expect(speech.words[0]?.start).toBeGreaterThan(100)
      expect(speech.words.at(-1)?.end).toBeLessThan(lengthOf(speech))
    })
  )

  it.effect("a word's time matches its sounds, at any position in the sentence", () =>
    Effect.gen(function* () {
      // The long word's duration, as the first and as the last word of a sentence.
      const length = (speech: ReturnType<typeof pcm>, index: number) => {
        const mark = speech.words.at(index)
        return (mark?.end ?? 0) - (mark?.start ?? 0)
      }
      const first = length(yield* speak("slt", "Responsibility is a fine thing"), 0)
      const last = length(yield* speak("slt", "A fine thing is responsibility"), -1)
      expect(first).toBeGreaterThan(600)
      expect(Math.abs(first - last)).toBeLessThan(250)
    })
  )

  it.effect("applies rate, pitch and volume", () =>
    Effect.gen(function* () {
      const normal = yield* speak("slt", text)
      expect(lengthOf(normal) / lengthOf(yield* speak("slt", text, { rate: 2 }))).toBeCloseTo(2, 0)
      expect(lengthOf(yield* speak("slt", text, { rate: 0.5 })) / lengthOf(normal)).toBeCloseTo(2, 0)
      const fifth = voicePitch(yield* speak("slt", text, { pitch: -7 })) / voicePitch(normal)
      expect(fifth).toBeGreaterThan(0.6)
      expect(fifth).toBeLessThan(0.75)
      const quiet = yield* speak("slt", text, { volume: 0.5 })
      expect(peakOf(quiet) / peakOf(normal)).toBeCloseTo(0.5, 1)
    })
  )

  it.effect("rejects an unknown voice, and text with nothing to say in English", () =>
    Effect.gen(function* () {
      for (const voice of ["awb_time", "nobody", "", "SLT"])
        expect(yield* refusal(voice, "one")).toBe("unknown-voice")
      for (const silent of ["", "...", "—", "🙂", "世界", "ありがとう"]) {
        expect(yield* refusal("slt", silent)).toBe("nothing-to-say")
      }
    })
  )

  it.effect("treats arguments, markup and long words as words", () =>
    Effect.gen(function* () {
      for (const odd of [
        "-voice kal",
        "--help",
        "-o /etc/passwd",
        "<b>bold</b>",
        "http://a.b/c?d=e&f",
        "x".repeat(320),
        "9".repeat(60)
      ]) {
        const speech = yield* speak("slt", odd, { rate: 4 })
        expect(speech.rate).toBe(16_000)
        expect(speech.words.length).toBe(odd.split(" ").length)
      }
    })
  )
})
