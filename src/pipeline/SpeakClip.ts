/** From what was received to a clip on disk: decoded, judged, cut into the utterance's parts, measured. */
import { Effect, Either, Option } from "effect"
import { framesOf, type Pcm } from "../audio/Pcm.ts"
import { segmentsOf } from "../audio/Cut.ts"
import { speechIn } from "../audio/Trim.ts"
import { encodeWav16 } from "../audio/Wav.ts"
import { Clip, type Segment } from "../domain/Clip.ts"
import { type Utterance, charactersOf } from "../domain/Utterance.ts"
import type { Fetched } from "../gateway/Gateway.ts"
import { alignParts, parseTranscript } from "../script/Transcript.ts"
import { ClipFolder } from "../store/ClipFolder.ts"
import { Learned } from "../store/Learned.ts"
import type { StateUnusable } from "../store/StateFault.ts"
import type { Decode } from "./SpeakDecoder.ts"
import { endingOf, isWav } from "./SpeakRate.ts"
import { verdictOf } from "./SpeakVerdict.ts"

/** A clip that was kept. */
export interface KeptClip {
  readonly clip: Clip
  readonly bytes: number
  /** What is odd about it, where something is. */
  readonly suspect: string | undefined
}

/** Audio from which no clip can be made; what was received is kept beside the clips. */
export interface Unusable {
  readonly _tag: "Unusable"
  readonly words: string
}

/** Makes an utterance's clip and keeps it. */
export const keepClip = (
  decode: Decode,
  utterance: Utterance,
  fetched: Fetched
): Effect.Effect<Either.Either<KeptClip, Unusable>, StateUnusable, ClipFolder | Learned> =>
  Effect.gen(function* () {
    const clips = yield* ClipFolder
    const learned = yield* Learned
    const { key, casting, said } = utterance
    const ending = endingOf(fetched.audio)
    const original = clips.keepOriginal(key, ending, fetched.audio)
    // The decoder reads anything but a WAV from its file.
    const onDisk = !isWav(fetched.audio)
    if (onDisk) yield* original
    const decoded = yield* Effect.either(decode(clips.originalOf(key, ending), fetched.audio))
    if (Either.isLeft(decoded)) {
      yield* original
      return Either.left<Unusable>({ _tag: "Unusable", words: decoded.left.words })
    }
    const pcm = decoded.right
    const characters = said.reduce((sum, words) => sum + charactersOf(words), 0)
    yield* breath(pcm)
    const speech = speechIn(pcm)
    yield* breath(pcm)
    const { segments, cut } = segmentsOf(
      pcm,
      said.length,
      { said, ...expectedOf(utterance, fetched) },
      speech
    )
    yield* breath(pcm)
    const timed = utterance.input === "srt"
    const verdict = verdictOf(pcm, { said, segments, timed, usual: learned.speechTime(casting), speech })
    if (verdict._tag === "Unusable") {
      yield* original
      return Either.left<Unusable>({ _tag: "Unusable", words: verdict.words })
    }
    yield* breath(pcm)
    const wav = encodeWav16(pcm)
    const { checksum, bytes } = yield* clips.keep(key, wav)
    if (onDisk) yield* clips.dropOriginal(key, ending)
    const suspect = verdict._tag === "Suspect" ? verdict.words : undefined
    if (suspect === undefined) yield* learned.spoke(casting, characters, speechMillis(segments, pcm))
    return Either.right<KeptClip>({
      clip: Clip.make({ key, rate: pcm.rate, frames: framesOf(pcm), checksum, segments, cut }, trusted),
      bytes,
      suspect
    })
  })

/** Lets everything else that waits have its turn before more work on a long clip: looks at tasks must not be late for it. */
const breath = (pcm: Pcm): Effect.Effect<void> =>
  pcm.samples.length < longClip
    ? Effect.void
    : Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Samples that take a few milliseconds a step. */
const longClip = 10 * 24_000

/** When each part is spoken, by the transcript, where it says so of what was said. */
const expectedOf = (utterance: Utterance, { transcript }: Fetched) =>
  Option.fromNullable(transcript).pipe(
    Option.filter(() => utterance.said.length > 1),
    Option.flatMap(({ text, format }) => Either.getRight(parseTranscript(text, format))),
    Option.flatMap((tokens) => Either.getRight(alignParts(utterance.said, tokens))),
    Option.match({ onNone: () => ({}), onSome: (expected) => ({ expected }) })
  )

/** Every part was made by its own constructor: no need to check it all again for each of ten thousand clips. */
const trusted = { disableValidation: true } as const

/** Milliseconds of speech in a clip. */
const speechMillis = (segments: ReadonlyArray<Segment>, pcm: Pcm): number =>
  (segments.reduce((sum, segment) => sum + segment.to - segment.from, 0) * 1000) / pcm.rate
