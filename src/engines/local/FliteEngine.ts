/** The Flite engine (WebAssembly, in threads): English voices, deterministic samples. */
import { Effect } from "effect"
import { type Engine, SpeechFailed } from "../Engine.ts"
import { forFlite } from "./FliteText.ts"
import { normalizeText } from "../text/TextNormalization.ts"
import { speakSentences } from "./SentenceSpeech.ts"
import { engineSentences } from "./EngineSentences.ts"
import { fliteVoices } from "../BundledVoices.ts"
import { makeWorkerPool } from "./WorkerPool.ts"
import { longestSpeech, speakWith, type ThreadedOptions, engineVoices } from "./WorkerVoices.ts"

const name = "flite"
/** Maximum bytes per call, to bound the engine's memory. */
const longestPart = 300
/** The rates at which its speech is still intelligible. */
const slowest = 0.3
const fastest = 4

/** Makes the engine. Its threads end with the scope. It reads any text as English. */
export const makeFliteEngine = Effect.fnUntraced(function* (options: ThreadedOptions = {}) {
  const pool = yield* makeWorkerPool(name, options)
  const catalogue = yield* engineVoices(pool, name)

  const speak: Engine["speak"] = Effect.fn("FliteEngine.speak")(function* (request) {
    const { voices } = yield* catalogue
    if (!voices.some(({ id }) => id === request.voice)) {
      const expected = voices.map(({ id }) => id).join(", ")
      const detail = `no voice "${request.voice}"; expected one of ${expected}`
      return yield* new SpeechFailed({ engine: name, reason: "unknown-voice", detail })
    }
    const tokens = normalizeText(request.text, "en").map(forFlite)
    return yield* speakSentences(tokens, engineSentences(tokens, longestPart), {
      engine: name,
      speakPart: (part) =>
        speakWith(pool, name, {
          _tag: "Sentence",
          voice: request.voice,
          rate: Math.min(fastest, Math.max(slowest, request.rate)),
          pitch: request.pitch,
          pieces: part.pieces
        }),
      // Flite adds silence around all its speech.
      pauseAfter: () => 0,
      volume: request.volume,
      longest: longestSpeech(options)
    })
  })

  return {
    name,
    controls: ["rate", "volume", "pitch"],
    voices: Effect.succeed(fliteVoices),
    speak,
    check: Effect.asVoid(catalogue),
    checkWithin: 60
  } satisfies Engine
})
