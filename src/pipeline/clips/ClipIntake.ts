/**
 * The functions that make clips of the audio that a run fetches, for a few utterances at a time. Clips are aligned with
 * their texts in the threads of eSpeak NG, which start with the first clip that needs it.
 */
import { Array, Context, Effect, Order, type Scope } from "effect"
import { misfitOf, type SpeechFit } from "../../audio/alignment/SpeechFit.ts"
import type { Expected } from "../../audio/speech/MissingParts.ts"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { WordMark } from "../../engines/Engine.ts"
import { lazySpeechAligner } from "../../engines/local/alignment/LazyAligner.ts"
import { type LanguageTag, primaryLanguage } from "../../domain/values/Ids.ts"
import { knownLanguages, languageOf } from "../../script/language/LanguageGuess.ts"
import type { ClipWork, MakeClip } from "./ClipWorkerClient.ts"
import { makeDecoder } from "./ReceivedAudio.ts"
import type { ClipFolder } from "../../store/files/ClipFolder.ts"

/** Clips fetched and analyzed at once, over all providers. */
export const fetchesAtOnce = 8

export class ClipIntake extends Context.Tag("pipeline/ClipIntake")<
  ClipIntake,
  ClipWork & {
    readonly align: AlignClip
    /** Runs a fetch in a slot. */
    readonly inSlot: <A, E, R>(fetch: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Providers of joined MP3 files that were noted. */
    readonly joiners: Set<string>
  }
>() {}

/** Makes the intake; it lives as long as the scope. */
export const makeClipIntake = (maker: Effect.Effect<MakeClip, never, ClipFolder | Scope.Scope>) =>
  Effect.map(Effect.all([makeDecoder, clipAligner, maker]), ([decode, align, makeClip]) => ({
    decode,
    align,
    makeClip,
    inSlot: Effect.unsafeMakeSemaphore(fetchesAtOnce).withPermits(1),
    joiners: new Set<string>()
  }))

/** The result of aligning a clip. */
export interface AlignedClip {
  /** When each part is said; undefined if the clip lacks speech or has too much, or a part has no words. */
  readonly parts: ReadonlyArray<Expected> | undefined
  /** When each word is said; empty if the parts are undefined. */
  readonly words: ReadonlyArray<WordMark>
  readonly fit: SpeechFit
}

/**
 * Aligns a WAV file's bytes or samples with the parts of a text in a language, if that is known; undefined if eSpeak NG
 * cannot speak it. `compare` also looks for another text, which doubles the time.
 */
export type AlignClip = (
  sound: Uint8Array | Pcm,
  said: ReadonlyArray<string>,
  language: LanguageTag | undefined,
  compare: boolean
) => Effect.Effect<AlignedClip | undefined>

/** Makes the function; its threads last as long as the scope. */
export const clipAligner: Effect.Effect<AlignClip, never, Scope.Scope> = Effect.map(
  lazySpeechAligner,
  ({ align }) =>
    (sound, said, known, compare) =>
      Effect.gen(function* () {
        const attempts = yield* Effect.forEach(likelyLanguages(said.join(" "), known), (language) =>
          align({ sound, said, language, compare })
        )
        const aligned = Array.getSomes(attempts)
        if (!Array.isNonEmptyArray(aligned)) return undefined
        const found = Array.min(aligned, byDistance)
        const misfit = misfitOf(found.fit)
        const times = found.parts.filter((part) => part !== undefined)
        const isWhole =
          times.length === said.length && (misfit === undefined || misfit.kind === "another-text")
        return { parts: isWhole ? times : undefined, words: isWhole ? found.words : [], fit: found.fit }
      })
)

/**
 * The languages that a text may be in: the known one, and the one that it looks like. A film has lines in another
 * language, and the clip itself shows which of both was spoken.
 */
const likelyLanguages = (text: string, known: LanguageTag | undefined): ReadonlyArray<string> => {
  const guess = languageOf(text, knownLanguages)
  return known === undefined ? [guess] : primaryLanguage(known) === guess ? [known] : [known, guess]
}

const byDistance = Order.mapInput(Order.number, ({ distance }: { readonly distance: number }) => distance)
