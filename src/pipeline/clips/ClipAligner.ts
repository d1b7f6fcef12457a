/** Aligns clips with their texts in the threads of eSpeak NG, which start with the first clip that needs it. */
import { Effect, Option, type Scope } from "effect"
import { misfitOf, type Misfit } from "../../audio/alignment/SpeechFit.ts"
import type { Expected } from "../../audio/speech/MissingParts.ts"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { WordMark } from "../../engines/Engine.ts"
import { lazySpeechAligner } from "../../engines/local/alignment/LazyAligner.ts"
import { knownLanguages, languageOf } from "../../script/language/LanguageGuess.ts"

/** The result of aligning a clip. */
export interface AlignedClip {
  /** When each part is said; undefined if the clip lacks speech or has too much, or a part has no words. */
  readonly parts: ReadonlyArray<Expected> | undefined
  /** When each word is said; empty if the parts are undefined. */
  readonly words: ReadonlyArray<WordMark>
  readonly misfit: Misfit | undefined
}

/**
 * Aligns a WAV file's bytes or samples with the parts of a text; undefined if eSpeak NG cannot speak it. `compare` also
 * looks for another text, which doubles the time.
 */
export type AlignClip = (
  sound: Uint8Array | Pcm,
  said: ReadonlyArray<string>,
  compare: boolean
) => Effect.Effect<AlignedClip | undefined>

/** Makes the function; its threads last as long as the scope. */
export const clipAligner: Effect.Effect<AlignClip, never, Scope.Scope> = Effect.map(
  lazySpeechAligner,
  ({ align }) =>
    (sound, said, compare) =>
      Effect.gen(function* () {
        const language = languageOf(said.join(" "), knownLanguages)
        const found = Option.getOrUndefined(yield* align({ sound, said, language, compare }))
        if (found === undefined) return undefined
        const misfit = misfitOf(found.fit)
        const times = found.parts.filter((part) => part !== undefined)
        const isWhole =
          times.length === said.length && (misfit === undefined || misfit.kind === "another-text")
        return { parts: isWhole ? times : undefined, words: isWhole ? found.words : [], misfit }
      })
)
