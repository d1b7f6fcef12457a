/** What the engines in threads have in common: their voices, asked for once, and a sentence spoken. */
import { Duration, Effect } from "effect"
import { fromSeconds, type Millis } from "../../domain/time/Units.ts"
import { EngineUnavailable, type EngineVoice, SpeechFailed } from "../Engine.ts"
import { cacheSuccess } from "../SuccessCache.ts"
import type { ThreadLimits, WorkerPool } from "./WorkerPool.ts"
import type { SentenceJob, ThreadEngine } from "./EngineProtocol.ts"

/** What may be said of an engine in threads. */
export interface ThreadedOptions extends ThreadLimits {
  /** The longest speech of one request, in seconds; default an hour. */
  readonly maxSeconds?: number
}

/** The longest speech of one request. */
export const longestSpeech = ({ maxSeconds = 3_600 }: ThreadedOptions): Millis => fromSeconds(maxSeconds)

/** An engine's voices, and the variants that each of them can take. */
export interface EngineCatalogue {
  readonly voices: ReadonlyArray<EngineVoice>
  readonly variants: ReadonlyArray<string>
}

/** The voices that an engine's thread tells of: asked for until it has answered once, then remembered. */
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
          ? Effect.succeed<EngineCatalogue>({
              voices: answer.voices.map((voice) => ({
                ...voice,
                languages: [...new Set(voice.languages.map(canonical))]
              })),
              variants: answer.variants
            })
          : Effect.fail(new EngineUnavailable({ engine, detail: "its thread told no voices" }))
      )
    ),
    Duration.infinity
  )

/** A sentence spoken by the next free thread. */
export const speakWith = (pool: WorkerPool, engine: ThreadEngine, job: SentenceJob) =>
  Effect.flatMap(pool.ask(job), (answer) =>
    answer._tag === "Spoken"
      ? Effect.succeed(answer)
      : Effect.fail(
          new SpeechFailed({
            engine,
            reason: "bad-output",
            detail: answer._tag === "Refused" ? answer.detail : "the engine answered something else"
          })
        )
  )

/** "en-us" as BCP 47 writes it: "en-US"; a tag that it does not know stays. */
const canonical = (tag: string): string => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    return tag
  }
}
