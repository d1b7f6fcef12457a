/** The Flite engine (WebAssembly, in threads): English voices, deterministic samples. */
import { Effect } from "effect"
import { SpeechFailed, type Engine } from "../Engine.ts"
import { normalizeText } from "../text/TextNormalization.ts"
import { speakSentences } from "./SentenceSpeech.ts"
import { engineSentences } from "./EngineSentences.ts"
import { fliteVoices } from "../BundledVoices.ts"
import { makeWorkerPool } from "./WorkerPool.ts"
import { longestSpeech, speakWith, engineVoices, type ThreadedOptions } from "./WorkerVoices.ts"
import type { Token } from "../text/Token.ts"

const name = "flite"
/** Maximum bytes per call, to bound the engine's memory. */
const maxPart = 300
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
    return yield* speakSentences(tokens, engineSentences(tokens, maxPart), {
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

/** Characters that are read as something other than their base letter: the ASCII for each group of them. */
const folds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "'": "\u2018\u2019\u201a\u201b\u2032",
    '"': "\u201c\u201d\u201e\u00ab\u00bb",
    ", ": "\u2013\u2014\u2015",
    "-": "\u2010\u2011",
    "...": "\u2026",
    "": "\u00a1\u00bf®™",
    ss: "ß",
    ae: "æ",
    Ae: "Æ",
    oe: "œ",
    Oe: "Œ",
    o: "ø",
    O: "Ø",
    d: "đ",
    D: "Đ",
    th: "ðþ",
    l: "ł",
    L: "Ł",
    i: "ı",
    " euros ": "€",
    " pounds ": "£",
    " yen ": "¥",
    " degrees ": "°",
    " times ": "×",
    " divided by ": "÷",
    " plus or minus ": "±",
    " section ": "§",
    " copyright ": "©",
    " one half": "½",
    " one quarter": "¼",
    " three quarters": "¾"
  }).flatMap(([ascii, characters]) => Array.from(characters, (character) => [character, ascii] as const))
)

/** Converts a token for Flite. The result is silent if Flite cannot read any of it. */
export const forFlite = (token: Token): Token => {
  const ascii = unitsBehind(token.spoken)
    .replace(/[^\u0020-\u007e]/gu, (character) => folds.get(character) ?? character)
    .normalize("NFKD")
    .replace(/[^\u0020-\u007e]/gu, "")
    .replace(/[<>[\]{}()|\\^~`_]+/gu, " ")
    .replace(/--+/gu, ", ")
    .replace(/\s+/gu, " ")
    .replace(/ ([.,;:!?])/gu, "$1")
    .trim()
  return { ...token, spoken: /[A-Za-z0-9&%$+=@#]/u.test(ascii) ? ascii : "" }
}

/** Moves a currency sign after its number: "€5" is read as five euros. */
const unitsBehind = (spoken: string): string => spoken.replace(/([€£¥])(\d[\d.,]*\d|\d)/gu, "$2$1")
