/** Spoken durations of lines: estimated by a fast model, or measured on an engine's speech. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { fromInt16 } from "../../src/audio/pcm/Pcm.ts"
import { speechIn } from "../../src/audio/speech/SpeechTrim.ts"
import { type Millis, millis } from "../../src/domain/time/Units.ts"
import { makeEspeakEngine } from "../../src/engines/local/EspeakEngine.ts"

/** Returns a line's spoken duration; `language` is a BCP 47 tag. 0 if nothing is audible. */
export type LineLength = (said: string, language: string) => Promise<Millis>

/** Milliseconds per character of each kind; for punctuation inside the line, the duration of its pause. */
const paces: ReadonlyArray<readonly [RegExp, number]> = [
  [/\p{N}/u, 380],
  [/[\p{sc=Han}]/u, 258],
  [/[\p{sc=Hangul}]/u, 180],
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/u, 150],
  [/[\p{sc=Thai}\p{sc=Arabic}\p{sc=Hebrew}]/u, 100],
  [/[\p{L}\p{M}]/u, 65],
  [/[.!?…。！？,;:、，—–]/u, 220]
]

/** Fitted to eSpeak NG's durations on the same files, to within about 200 ms. */
export const modelled: LineLength = async (said) =>
  millis(
    [...said.replace(/[\p{P}\s]+$/u, "")].reduce(
      (length, character) => length + (paces.find(([kind]) => kind.test(character))?.[1] ?? 0),
      80
    )
  )

/** Keeps measured durations between benchmarks. */
const cache = join(import.meta.dirname, "lengths.json")

/** Measures eSpeak NG's speech at its normal rate, without the silence around the words. */
export const openSpoken = async (): Promise<{
  readonly lengthOf: LineLength
  readonly close: () => void
}> => {
  const scope = Effect.runSync(Scope.make())
  const engine = await Effect.runPromise(Scope.extend(makeEspeakEngine({ size: 2 }), scope))
  const voices = await Effect.runPromise(engine.voices)
  const voiceOf = (language: string): string => {
    const tag = language.toLowerCase()
    const [primary = tag] = tag.split("-")
    const wanted = [tag, primary === "zh" ? "cmn" : primary, primary === "en" ? "en-us" : primary]
    const found = wanted.flatMap((id) => voices.filter((voice) => voice.id === id))
    return found[0]?.id ?? voices.find(({ languages }) => languages.includes(primary))?.id ?? "en-us"
  }
  const kept: Record<string, number> = existsSync(cache) ? JSON.parse(readFileSync(cache, "utf8")) : {}
  const known = new Map(Object.entries(kept))
  const measure: LineLength = async (said, language) => {
    const spoken = await Effect.runPromise(
      Effect.option(engine.speak({ text: said, voice: voiceOf(language), rate: 1, volume: 1, pitch: 0 }))
    )
    if (spoken._tag === "None" || spoken.value._tag === "Encoded") return millis(0)
    const { rate, samples } = spoken.value
    const heard = speechIn({ rate, samples: fromInt16(samples) })
    return millis(heard === undefined ? 0 : ((heard.bounds.to - heard.bounds.from) * 1000) / rate)
  }
  return {
    lengthOf: async (said, language) => {
      const name = `${language} ${said}`
      const length = known.get(name) ?? (await measure(said, language))
      known.set(name, length)
      return millis(length)
    },
    close: () => {
      mkdirSync(dirname(cache), { recursive: true })
      writeFileSync(cache, JSON.stringify(Object.fromEntries(known)))
      void Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
