/** Word times of speech without times, compared with Flite's own times. */
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { misfitOf } from "../../../src/audio/alignment/SpeechFit.ts"
import { espeakVoiceOf } from "../../../src/engines/BundledVoices.ts"
import { makeSpeechAligner } from "../../../src/engines/local/alignment/SpeechAligner.ts"
import { makeFliteEngine } from "../../../src/engines/local/FliteEngine.ts"
import { pcm, request } from "../speech.ts"

const said = [
  "The keeper closed the door behind him,",
  "and went down to the harbour without a word.",
  "Nobody has seen him since."
]

it.scopedLive("finds the parts of a text in another engine's voice, and what is wrong with its speech", () =>
  Effect.gen(function* () {
    const flite = yield* makeFliteEngine({ size: 1 })
    const { align } = yield* makeSpeechAligner({ size: 1 })
    const speak = (text: string) => Effect.map(flite.speak(request("rms", text)), pcm)
    const clip = yield* speak(said.join(" "))
    const { rate, samples } = clip
    const aligned = (sound: Int16Array, texts = said) =>
      Effect.map(
        align({ sound: { rate, samples: sound }, said: texts, language: "en", compare: true }),
        Option.getOrThrow
      )
    const found = yield* aligned(samples)
    expect(found.words.map(({ text }) => text)).toEqual(said.join(" ").split(" "))
    expect(found.sentences.map(({ text }) => text)).toEqual([`${said[0]} ${said[1]}`, said[2]])
    const cuts = [said[0], said.slice(0, 2).join(" ")].map((before = "", index) => {
      const last = before.split(" ").length - 1
      const [ended, next] = [clip.words[last], clip.words[last + 1]]
      const [part, following] = [found.parts[index], found.parts[index + 1]]
      const cut = ((part?.end ?? 0) + (following?.start ?? 0)) / 2
      return Math.max(0, (ended?.end ?? 0) - cut, cut - (next?.start ?? 0))
    })
    expect(Math.max(...cuts)).toBeLessThanOrEqual(60)
    expect(yield* aligned(samples)).toEqual(found)

    const twice = new Int16Array(2 * samples.length)
    twice.set(samples)
    twice.set(samples, samples.length)
    const other =
      "A completely different story about seven mountains, an old clock and a birthday cake in April."
    const heard = [samples, samples.slice(0, samples.length / 2), twice]
    const kinds = yield* Effect.forEach(heard, (sound) =>
      Effect.map(aligned(sound), ({ fit }) => misfitOf(fit)?.kind)
    )
    expect(kinds).toEqual([undefined, "cut-off", "repeated"])
    const strange = yield* Effect.forEach([samples, (yield* speak(other)).samples], (sound) =>
      Effect.map(aligned(sound), ({ fit }) => fit.strangeness ?? 0)
    )
    expect(strange[1]).toBeGreaterThan(strange[0] ?? 1)
    expect(Option.isNone(yield* align({ sound: { rate, samples }, said, language: "tlh" }))).toBe(true)
    expect(Option.isNone(yield* align({ sound: new Uint8Array(9), said, language: "en" }))).toBe(true)
  })
)

it("chooses the voice of a language", () => {
  expect(["en", "en-GB", "vi", "vi-VN", "zh", "pt-BR", "nb", "no", "tlh"].map(espeakVoiceOf)).toEqual([
    "en-us",
    "en",
    "vi",
    "vi",
    "cmn",
    "pt-br",
    "nb",
    "nb",
    undefined
  ])
})
