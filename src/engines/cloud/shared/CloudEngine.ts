/** The parts that all cloud engines share: voices, text limits, a limit of requests in flight, and a missing key. */
import { Effect } from "effect"
import {
  type Engine,
  EngineUnavailable,
  type EngineVoice,
  type Speech,
  SpeechFailed,
  type SpeechRequest
} from "../../Engine.ts"
import { completeVoice } from "../../EngineFields.ts"
import { primaryLanguage } from "../../../domain/values/Ids.ts"
import { singleLineSpeech } from "../../text/SingleLineSpeech.ts"
import type { CloudSettings } from "./CloudSettings.ts"
import { charactersWithin, checkLength, type TextLimit } from "./TextLimit.ts"

/** A request whose text is one line, within the provider's limit. */
export interface CloudSpeech extends Omit<SpeechRequest, "voice" | "language"> {
  readonly voice: EngineVoice
  /** The text's language: as requested, else the voice's; empty if unknown. */
  readonly language: string
}

/** A provider behind an engine. */
export interface CloudProvider {
  readonly controls: Engine["controls"]
  readonly limit: TextLimit
  /** Requests in flight, unless the settings say otherwise. */
  readonly concurrency: number
  /** The model in use. A provider without models has a fixed name here. */
  readonly model: string
  /** Why nothing can be sent, such as a missing key. */
  readonly obstacle: string | undefined
  /** All voices that the provider lists. */
  readonly list: Effect.Effect<ReadonlyArray<EngineVoice>, EngineUnavailable | SpeechFailed>
  readonly speak: (speech: CloudSpeech) => Effect.Effect<Speech, EngineUnavailable | SpeechFailed>
}

/** How long a list of voices is used. It is read again earlier if the provider rejects the key or a voice. */
const listAge = "1 hour"

/** Makes the engine. */
export const makeCloudEngine = Effect.fnUntraced(function* (
  settings: CloudSettings,
  provider: CloudProvider
) {
  const { name } = settings
  const own = (settings.voices ?? []).map(completeVoice)
  const limit = { ...provider.limit, most: settings.maxCharacters ?? provider.limit.most }
  const inFlight = yield* Effect.makeSemaphore(settings.concurrency ?? provider.concurrency)
  const ready =
    provider.obstacle === undefined
      ? Effect.void
      : Effect.fail(new EngineUnavailable({ engine: name, detail: provider.obstacle }))

  const listed = Effect.map(Effect.zipRight(ready, provider.list), (found) => [
    ...own,
    ...found.filter((voice) => speaksAny(voice, settings.languages) && !own.some(({ id }) => id === voice.id))
  ]).pipe(
    Effect.mapError((failure) =>
      failure._tag === "EngineUnavailable"
        ? failure
        : new EngineUnavailable({ engine: name, detail: `cannot list its voices: ${failure.detail}` })
    )
  )
  const [cached, forget] = yield* Effect.cachedInvalidateWithTTL(listed, listAge)
  const voices =
    settings.listVoices === false ? Effect.as(ready, own) : Effect.tapErrorCause(cached, () => forget)

  const speak: Engine["speak"] = Effect.fn("CloudEngine.speak")(function* (request) {
    const voice = (yield* voices).find(({ id }) => id === request.voice)
    if (voice === undefined) {
      yield* forget
      const detail = `the provider lists no voice "${request.voice}"; choose another voice`
      return yield* new SpeechFailed({ engine: name, reason: "unknown-voice", detail })
    }
    const language = request.language ?? voice.languages[0] ?? ""
    const text = yield* singleLineSpeech(request, {
      engine: name,
      normalise: settings.normalise ?? false,
      language,
      maxChars: Infinity
    })
    yield* checkLength(name, text, limit)
    return yield* inFlight
      .withPermits(1)(provider.speak({ ...request, voice, language, text }))
      .pipe(
        Effect.tapError((failure) =>
          failure._tag === "EngineUnavailable" || failure.reason === "unknown-voice" ? forget : Effect.void
        ),
        // Some providers reject a deleted voice without a reason.
        Effect.catchIf(
          (failure) => failure._tag === "SpeechFailed" && failure.reason === "refused",
          (failure) =>
            Effect.zipRight(forget, voices).pipe(
              Effect.orElseSucceed(() => [voice]),
              Effect.flatMap((now) =>
                now.some(({ id }) => id === voice.id)
                  ? Effect.fail(failure)
                  : new SpeechFailed({ engine: name, reason: "unknown-voice", detail: failure.detail })
              )
            )
        )
      )
  })

  return {
    name,
    controls: provider.controls,
    takesTone: true,
    voices,
    speak,
    check: Effect.asVoid(voices),
    defaults: {
      model: provider.model,
      ...(settings.creditsPerCharacter === undefined
        ? {}
        : { creditsPerCharacter: settings.creditsPerCharacter }),
      maxCharacters: charactersWithin(limit)
    }
  } satisfies Engine
})

/** Whether a voice speaks one of the languages. `vi` matches `vi-VN`; `pt-BR` matches only `pt-BR`. */
const speaksAny = (voice: EngineVoice, languages: ReadonlyArray<string> | undefined): boolean =>
  languages === undefined ||
  voice.languages.some((own) =>
    languages.some(
      (wanted) => own.toLowerCase() === wanted.toLowerCase() || primaryLanguage(own) === wanted.toLowerCase()
    )
  )

/** Returns a value moved into a range. */
export const clamped = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value))

/** Rounds to three digits: sixteen digits of a product such as 1.1 * 1.1 are noise. */
export const rounded = (value: number): number => Math.round(value * 1000) / 1000
