/** Shared by the engines in threads: the cached voice list, and speaking a sentence. */
import { Duration, Effect } from "effect"
import { fromSeconds, type Millis } from "../../domain/time/Units.ts"
import { EngineUnavailable, SpeechFailed } from "../Engine.ts"
import { cacheSuccess } from "../SuccessCache.ts"
import type { ThreadLimits, WorkerPool } from "./WorkerPool.ts"
import type { SentenceJob, ThreadEngine } from "./EngineProtocol.ts"

/** Options of an engine in threads. */
export interface ThreadedOptions extends ThreadLimits {
  /** Maximum length of one request's speech, in seconds; default one hour. */
  readonly maxSeconds?: number
}

/** Returns the maximum length of one request's speech. */
export const longestSpeech = ({ maxSeconds = 3_600 }: ThreadedOptions): Millis => fromSeconds(maxSeconds)

/** Reads the voices of an engine's thread, and the variants available for each of them. Caches the first success. */
export const engineVoices = (pool: WorkerPool, engine: ThreadEngine) =>
  cacheSuccess(
    pool.ask({ _tag: "Voices" }).pipe(
      Effect.mapError((failure) =>
        failure._tag === "EngineUnavailable"
          ? failure
          : new EngineUnavailable({ engine, detail: failure.detail, cause: failure })
      ),
      Effect.flatMap((answer) =>
        answer._tag === "VoiceList"
          ? Effect.succeed({
              voices: answer.voices.map((voice) => ({
                ...voice,
                languages: [...new Set(voice.languages.map(canonical))]
              })),
              variants: answer.variants
            })
          : Effect.fail(
              new EngineUnavailable({
                engine,
                detail:
                  "the engine's thread listed no voices; run the command again, and report the problem if it recurs"
              })
            )
      )
    ),
    Duration.infinity
  )

/** Speaks a sentence on the next free thread. */
export const speakWith = (pool: WorkerPool, engine: ThreadEngine, job: SentenceJob) =>
  Effect.flatMap(pool.ask(job), (answer) =>
    answer._tag === "Spoken"
      ? Effect.succeed(answer)
      : Effect.fail(
          new SpeechFailed({
            engine,
            reason: "bad-output",
            detail: answer._tag === "Refused" ? answer.detail : "the engine returned an unexpected response"
          })
        )
  )

/** Returns the canonical BCP 47 tag, such as "en-US" for "en-us"; returns an invalid tag unchanged. */
const canonical = (tag: string): string => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    return tag
  }
}
