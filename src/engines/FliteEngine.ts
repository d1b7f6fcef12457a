/** Flite, compiled to WebAssembly: English voices, in threads, the same text always giving the same samples. */
import { availableParallelism } from "node:os"
import { type Duration, Effect } from "effect"
import { fromSeconds } from "../domain/Units.ts"
import { type Engine, SpeechFailed } from "./Engine.ts"
import { forFlite } from "./FliteText.ts"
import { normalise } from "./Normalise.ts"
import { speakSentences } from "./SentenceSpeech.ts"
import { sentencesOf } from "./Sentences.ts"
import { makeWorkerPool } from "./WorkerPool.ts"
import { spokenBy, voicesOf } from "./WorkerVoices.ts"

export interface FliteOptions {
  /** Threads at most; the default leaves one processor free. */
  readonly size?: number
  /** The longest that one sentence may take; default 30 seconds. */
  readonly deadline?: Duration.DurationInput
  /** How long a thread may stand idle before its memory is given back; default 2 minutes. */
  readonly idle?: Duration.DurationInput
  /** The longest speech of one request, in seconds; default an hour. */
  readonly maxSeconds?: number
}

const name = "flite"
/** Bytes passed to the engine at once, to bound its memory. */
const longestPart = 300
/** The rates at which its speech can still be followed. */
const slowest = 0.3
const fastest = 4

/** The engine; its threads end with the scope. It reads any text as English. */
export const makeFliteEngine = Effect.fnUntraced(function* (options: FliteOptions = {}) {
  const pool = yield* makeWorkerPool({
    engine: name,
    size: options.size ?? Math.max(1, availableParallelism() - 1),
    deadline: options.deadline ?? "30 seconds",
    idle: options.idle ?? "2 minutes"
  })
  const catalogue = yield* voicesOf(pool, name)

  const speak: Engine["speak"] = Effect.fn("FliteEngine.speak")(function* (request) {
    const { voices } = yield* catalogue
    if (!voices.some(({ id }) => id === request.voice)) {
      const expected = voices.map(({ id }) => id).join(", ")
      const detail = `no voice "${request.voice}": expected one of ${expected}`
      return yield* new SpeechFailed({ engine: name, reason: "unknown-voice", detail })
    }
    const tokens = normalise(request.text, "en").map(forFlite)
    return yield* speakSentences(tokens, sentencesOf(tokens, longestPart), {
      engine: name,
      speakPart: (part) =>
        spokenBy(pool, name, {
          _tag: "Sentence",
          voice: request.voice,
          rate: Math.min(fastest, Math.max(slowest, request.rate)),
          pitch: request.pitch,
          pieces: part.pieces
        }),
      // Flite puts silence around everything it says.
      pauseAfter: () => 0,
      volume: request.volume,
      longest: fromSeconds(options.maxSeconds ?? 3_600)
    })
  })

  return {
    name,
    controls: ["rate", "volume", "pitch"],
    voices: Effect.map(catalogue, ({ voices }) => voices),
    speak,
    check: Effect.asVoid(catalogue)
  } satisfies Engine
})
