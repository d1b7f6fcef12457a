/** The eSpeak NG engine (WebAssembly, in threads): over a hundred languages, deterministic samples. */
import { Effect } from "effect"
import { type Engine, type EngineVoice, SpeechFailed } from "../Engine.ts"
import { unsupportedLetters } from "../text/UnsupportedScript.ts"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { normalizeText } from "../text/TextNormalization.ts"
import { speakSentences } from "./SentenceSpeech.ts"
import { engineSentences } from "./EngineSentences.ts"
import { englishWords } from "../text/vietnamese/EnglishWords.ts"
import { espeakVoices } from "../BundledVoices.ts"
import { makeWorkerPool } from "./WorkerPool.ts"
import { longestSpeech, speakWith, type ThreadedOptions, engineVoices } from "./WorkerVoices.ts"

const name = "espeak"
/** The engine's rate limits: 80 to 450 words per minute, relative to its default of 175. */
const slowest = 80 / 175
const fastest = 450 / 175
/** Maximum bytes per call: beyond 800 bytes, or 300 words, the engine drops text. */
const maxPart = 500
/** The engine's pauses inside a text, in ms at rate 1. It adds none at a text's end, so each part gets one after it. */
const pauses = { sentence: 300, clause: 150, word: 0 } as const

/**
 * Makes the engine. Its threads end with the scope; each takes about 60 MB while in use. A voice id may have a variant,
 * such as `vi+f3` or `en-us+m7`.
 */
export const makeEspeakEngine = Effect.fnUntraced(function* (options: ThreadedOptions = {}) {
  const pool = yield* makeWorkerPool(name, options)
  const catalogue = yield* engineVoices(pool, name)

  const speak: Engine["speak"] = Effect.fn("EspeakEngine.speak")(function* (request) {
    const known = yield* catalogue
    const { voice, variant } = partedVoice(request.voice)
    const found = known.voices.find(({ id }) => id === voice)
    if (found === undefined || (variant !== undefined && !known.variants.includes(variant)))
      return yield* unknownVoice(request.voice, known.voices)
    // A voice reads every text in its own language.
    const language = found.languages[0] ?? voice
    const named = unsupportedLetters(request.text, language)
    if (named !== undefined)
      return yield* new SpeechFailed({ engine: name, reason: "nothing-to-say", detail: named })
    const tokens = normalizeText(request.text, language)
    const rate = Math.min(fastest, Math.max(slowest, request.rate))
    const sentences = engineSentences(
      tokens,
      maxPart,
      primaryLanguage(voice) === "vi" ? englishWords : undefined
    )
    return yield* speakSentences(tokens, sentences, {
      engine: name,
      speakPart: (part) =>
        speakWith(pool, name, {
          _tag: "Sentence",
          voice: variant === undefined ? voice : `${voice}+${variant}`,
          rate,
          pitch: request.pitch,
          pieces: part.pieces
        }),
      pauseAfter: (part) => pauses[part.ends] / rate,
      volume: request.volume,
      longest: longestSpeech(options)
    })
  })

  return {
    name,
    controls: ["rate", "volume", "pitch"],
    voices: Effect.succeed(espeakVoices),
    speak,
    check: Effect.asVoid(catalogue),
    checkWithin: 60
  } satisfies Engine
})

const partedVoice = (id: string): { readonly voice: string; readonly variant: string | undefined } => {
  const plus = id.indexOf("+")
  return plus < 0
    ? { voice: id.toLowerCase(), variant: undefined }
    : { voice: id.slice(0, plus).toLowerCase(), variant: id.slice(plus + 1) }
}

const unknownVoice = (asked: string, voices: ReadonlyArray<EngineVoice>) =>
  new SpeechFailed({
    engine: name,
    reason: "unknown-voice",
    detail: `no voice "${asked}"; expected one of its ${voices.length} voices such as en-us or vi, with or without a variant such as +f3`
  })
