/**
 * From samples to what is known of a clip. Plain values in, plain values out: it is done here or in a thread of its
 * own.
 */
import { Either, Option } from "effect"
import { splitClip } from "../../audio/speech/ClipSplitting.ts"
import { framesOf, type Pcm } from "../../audio/pcm/Pcm.ts"
import { resample } from "../../audio/pcm/Resampling.ts"
import { speechIn } from "../../audio/speech/SpeechTrim.ts"
import { decodeWav, encodeWav16, keptWav16 } from "../../audio/formats/Wav.ts"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { Estimate } from "../../domain/values/Estimate.ts"
import type { Fetched } from "../../gateway/requests/Download.ts"
import { alignParts, parseTranscript } from "../../script/transcripts/Transcript.ts"
import { storedRateOf } from "./AudioFormatDetection.ts"
import { judgeParts } from "./ClipVerdict.ts"

/** What the sound is to say, and what is known of it. */
export interface ClipRequest {
  readonly said: readonly [string, ...ReadonlyArray<string>]
  /** Whether the provider spoke the parts on a timeline of their own. */
  readonly timed: boolean
  readonly transcript: Fetched["transcript"]
  /** The voice's usual milliseconds of speech for one character. */
  readonly usual: Estimate | undefined
}

/** A clip's facts. */
export interface ClipMade extends Pick<Clip, "rate" | "frames" | "segments" | "cut"> {
  readonly _tag: "Made"
  /** What is odd about it, where something is. */
  readonly suspect: string | undefined
}

/** Sound from which no clip can be made. */
export interface Unusable {
  readonly _tag: "Unusable"
  readonly words: string
}

/**
 * The samples of a sound at the rate at which they are kept, decoded from a WAV file's bytes; else why there are none,
 * in words.
 */
export const receivedSamples = (sound: Uint8Array | Pcm): Either.Either<Pcm, string> =>
  sound instanceof Uint8Array
    ? Either.mapBoth(decodeWav(sound), {
        onLeft: ({ message }) => message,
        onRight: (pcm) => resample(pcm, storedRateOf(pcm.rate))
      })
    : Either.right(sound)

/** The file of a clip that was made of a sound. */
export const clipFileBytes = (sound: Uint8Array | Pcm, samples: Pcm): Uint8Array =>
  sound instanceof Uint8Array ? keptWav16(samples, sound) : encodeWav16(samples)

/**
 * Looks a sound over and judges it, in steps that each take some milliseconds on a long one: others may have their turn
 * between.
 */
export function* analyzeClip(pcm: Pcm, wanted: ClipRequest): Generator<void, ClipMade | Unusable> {
  const { said } = wanted
  const speech = speechIn(pcm)
  yield
  const { segments, cut } = splitClip(pcm, said.length, { said, ...expectedOf(wanted) }, speech)
  yield
  const verdict = judgeParts(pcm, { ...wanted, segments, speech })
  if (verdict._tag === "Unusable") return verdict
  yield
  const suspect = verdict._tag === "Suspect" ? verdict.words : undefined
  return { _tag: "Made", rate: pcm.rate, frames: framesOf(pcm), segments, cut, suspect }
}

/** When each part is spoken, by the transcript, where it says so of what was said. */
const expectedOf = ({ said, transcript }: ClipRequest) =>
  Option.fromNullable(transcript).pipe(
    Option.filter(() => said.length > 1),
    Option.flatMap(({ text, format }) => Either.getRight(parseTranscript(text, format))),
    Option.flatMap((tokens) => Either.getRight(alignParts(said, tokens))),
    Option.match({ onNone: () => ({}), onSome: (expected) => ({ expected }) })
  )
