/** Decodes received audio, checks it, splits it into the utterance's parts and stores it as a clip. */
import { Context, Effect, Either } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import { Clip, type Segment } from "../../domain/speech/Clip.ts"
import { type Utterance, charactersOf } from "../../domain/speech/Utterance.ts"
import type { Fetched } from "../../gateway/requests/Download.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { Unusable } from "../clips/ClipAnalysis.ts"
import type { Undecodable } from "../clips/ReceivedAudio.ts"
import { extensionOf } from "../clips/AudioFormatDetection.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { inSpan } from "../Annotations.ts"
import { ClipIntake } from "./services/ClipIntake.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"

/** A stored clip. */
export interface KeptClip {
  readonly clip: Clip
  readonly bytes: number
  /** Why the clip is suspect, if it is. */
  readonly suspect: string | undefined
}

/** Makes and stores an utterance's clip. If none can be made, keeps the received file beside the clips as evidence. */
export const keepClip = (
  utterance: Utterance,
  { audio, transcript }: Fetched
): Effect.Effect<Either.Either<KeptClip, Unusable>, StateUnusable, ClipFolder | Estimates | ClipIntake> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<ClipFolder | Estimates | ClipIntake>()
    const clips = Context.get(context, ClipFolder)
    const learned = Context.get(context, Estimates)
    const { decode, makeClip } = Context.get(context, ClipIntake)
    const { key, casting, said } = utterance
    const ending = extensionOf(audio)
    const keepOriginal = clips.keepOriginal(key, ending, audio)
    const laid = Effect.suspend(() => Effect.as(keepOriginal, clips.originalOf(key, ending)))
    const sound: Either.Either<Pcm | Uint8Array, Undecodable> =
      ending === "wav"
        ? Either.right(audio)
        : yield* Effect.map(decode({ bytes: audio, laid }), Either.right).pipe(
            Effect.catchTag("Undecodable", (fault) => Effect.succeed(Either.left(fault)))
          )
    const timed = utterance.input === "srt"
    const made = Either.isLeft(sound)
      ? unusable(sound.left.words)
      : yield* makeClip(key, sound.right, { said, timed, transcript, usual: learned.speechTime(casting) })
    if (made._tag === "Unusable") {
      yield* keepOriginal
      return Either.left(made)
    }
    // The original, written for the decoder now, or kept by an earlier run that could not use it.
    if (ending !== "wav") yield* clips.dropOriginal(key, ending)
    const { rate, frames, checksum, segments, cut, bytes, suspect } = made
    const characters = said.reduce((sum, words) => sum + charactersOf(words), 0)
    if (suspect === undefined) learned.spoke(casting, characters, speechMillis(segments, rate))
    return Either.right({
      clip: Clip.make({ key, rate, frames, checksum, segments, cut }, skipValidation),
      bytes,
      suspect
    })
  }).pipe(inSpan("ClipStorage.keepClip"))

const unusable = (words: string): Unusable => ({ _tag: "Unusable", words })

/** Milliseconds of speech in a clip. */
const speechMillis = (segments: ReadonlyArray<Segment>, rate: number): number =>
  (segments.reduce((sum, segment) => sum + segment.to - segment.from, 0) * 1000) / rate
