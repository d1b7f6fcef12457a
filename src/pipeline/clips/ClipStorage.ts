/** Decodes received audio, checks it, splits it into the utterance's parts and stores it as a clip. */
import { Context, Effect, Either } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { Misfit } from "../../audio/alignment/SpeechFit.ts"
import { Clip, type Segment } from "../../domain/speech/Clip.ts"
import { type Utterance, charactersOf } from "../../domain/speech/Utterance.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import type { Fetched } from "../../gateway/requests/Download.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import { timesParts, type Unusable } from "./ClipAnalysis.ts"
import { wordsOfTranscript } from "./TranscriptWords.ts"
import { withWordStarts } from "./WordStarts.ts"
import { isOddLength } from "./OddLength.ts"
import { extensionOf } from "./AudioFormatDetection.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { inSpan } from "../Annotations.ts"
import { ClipIntake } from "./ClipIntake.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"

/** A stored clip. */
export interface KeptClip {
  readonly clip: Clip
  readonly bytes: number
  /** Why the clip is suspect, if it is. */
  readonly suspect: string | undefined
  /** Whether the suspicion is strong enough to pay for a new take. */
  readonly mayRetake: boolean
}

/** What is known about a clip besides its text. */
export interface ClipOrigin {
  /** The engine that spoke it, if known. */
  readonly engine: string | undefined
  /** The language of its job; undefined if the manifest names none. */
  readonly language: LanguageTag | undefined
  /** Whether to find the times of its words in the audio if the service reports none. */
  readonly timesWords: boolean
}

/** Makes and stores an utterance's clip. If none can be made, keeps the received file beside the clips as evidence. */
export const keepClip = (
  utterance: Utterance,
  { audio, transcript }: Fetched,
  { engine, language, timesWords }: ClipOrigin
): Effect.Effect<Either.Either<KeptClip, Unusable>, StateUnusable, Needs> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    const clips = Context.get(context, ClipFolder)
    const learned = Context.get(context, Estimates)
    const { decode, align, makeClip } = Context.get(context, ClipIntake)
    const { key, casting, said } = utterance
    const ending = extensionOf(audio)
    const keepOriginal = Effect.suspend(() => clips.keepOriginal(key, ending, audio))
    const laid = Effect.suspend(() => Effect.as(keepOriginal, clips.originalOf(key, ending)))
    const decoded = Effect.map(decode({ bytes: audio, laid }), Either.right).pipe(
      Effect.catchTag("Undecodable", (fault) => Effect.succeed(Either.left(fault.words)))
    )
    const timed = utterance.input === "srt"
    const usual = learned.speechTime(casting)
    const isUncut = said.length > 1 && !timesParts({ said, transcript })
    const words = timesWords || said.length > 1 ? wordsOfTranscript(said, transcript) : []
    const isUntimed = timesWords && words.length === 0
    const isAligned = isUncut || isUntimed
    const sound: Either.Either<Pcm | Uint8Array, string> =
      ending === "wav" || (ending === "mp3" && !isAligned) ? Either.right(audio) : yield* decoded
    const aligned =
      Either.isRight(sound) && isAligned ? yield* align(sound.right, said, language, isUncut) : undefined
    const judged = isUncut ? aligned : undefined
    const made = Either.isLeft(sound)
      ? unusable(sound.left)
      : yield* makeClip(key, sound.right, { said, timed, transcript, usual, aligned: judged?.parts }, decoded)
    if (made._tag === "Unusable") {
      yield* keepOriginal
      return Either.left(made)
    }
    // The original, written for the decoder now, or kept by an earlier run that could not use it.
    if (ending !== "wav") yield* clips.dropOriginal(key, ending)
    const { rate, frames, checksum, cut, bytes } = made
    const found = words.length > 0 ? words : (aligned?.words ?? [])
    const segments = withWordStarts(made.segments, said, found, rate)
    const characters = said.reduce((sum, words) => sum + charactersOf(words), 0)
    const length = speechMillis(segments, rate)
    const isOdd = judged === undefined && made.suspect === undefined && isOddLength(length, said, usual)
    const misfit = isOdd ? yield* misfitOfStored(utterance, checksum, language) : judged?.misfit
    const suspect = made.suspect ?? (misfit === undefined ? undefined : wordsOf(misfit))
    if (suspect === undefined) learned.spoke(casting, characters, length)
    return Either.right({
      clip: Clip.make(
        { key, rate, frames, checksum, segments, cut, ...(engine === undefined ? {} : { engine }) },
        skipValidation
      ),
      bytes,
      suspect,
      mayRetake: made.suspect !== undefined || misfit?.kind !== "another-text"
    })
  }).pipe(inSpan("ClipStorage.keepClip"))

/** The inputs for storing a clip. */
type Needs = ClipFolder | Estimates | ClipIntake

const unusable = (words: string): Unusable => ({ _tag: "Unusable", words })

/** Looks for missing and repeated speech in a stored clip. */
const misfitOfStored = ({ key, said }: Utterance, checksum: string, language: LanguageTag | undefined) =>
  Effect.gen(function* () {
    const { reading } = yield* ClipFolder
    const { align } = yield* ClipIntake
    const wav = yield* reading((reader) => reader.read(key, checksum, (bytes) => new Uint8Array(bytes)))
    return wav === undefined ? undefined : (yield* align(wav, said, language, true))?.misfit
  })

const wordsOf = ({ kind, detail }: Misfit): string =>
  kind === "another-text"
    ? `the audio may say another text: ${detail}`
    : `the audio is ${kind.replace("-", " ")}: ${detail}`

/** Milliseconds of speech in a clip. */
const speechMillis = (segments: ReadonlyArray<Segment>, rate: number): number =>
  (segments.reduce((sum, segment) => sum + segment.to - segment.from, 0) * 1000) / rate
