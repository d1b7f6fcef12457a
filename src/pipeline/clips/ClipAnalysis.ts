/**
 * Analyzes a clip: splits it into the utterance's parts and checks its quality. Takes and returns plain values, so that
 * it runs on the main thread or in a worker.
 */
import { Either, Option } from "effect"
import { areTimesDoubtful, splitClip } from "../../audio/speech/ClipSplitting.ts"
import type { Expected } from "../../audio/speech/MissingParts.ts"
import { type Pcm, sliceOf } from "../../audio/pcm/Pcm.ts"
import { frames } from "../../domain/time/Units.ts"
import { resample } from "../../audio/pcm/Resampling.ts"
import { speechIn, type SpeechBounds } from "../../audio/speech/SpeechTrim.ts"
import { decodeWav, encodeWav16, keptWav16 } from "../../audio/formats/Wav.ts"
import { type Clip, isSaid, type Segment } from "../../domain/speech/Clip.ts"
import type { Estimate } from "../../domain/values/Estimate.ts"
import type { Fetched } from "../../gateway/requests/Download.ts"
import { alignParts, parseTranscript } from "../../script/Transcript.ts"
import { storedRateOf } from "./AudioFormatDetection.ts"
import { detectDefects, type ClipFacts, type Suspicion } from "../../audio/speech/ClipQuality.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"

/** The expected texts of the audio, with the times and settings that help to find them. */
export interface ClipRequest {
  readonly said: readonly [string, ...ReadonlyArray<string>]
  /** Whether the provider placed the parts on a timeline of their own. */
  readonly timed: boolean
  /** The longest accepted sound in seconds. */
  readonly most: number
  readonly transcript: Fetched["transcript"]
  /** When each part is said, found in the audio itself. */
  readonly aligned?: ReadonlyArray<Expected> | undefined
  /** The voice's usual milliseconds of speech per character. */
  readonly usual: Estimate | undefined
}

/** Facts about a clip. */
export interface ClipMade extends Pick<Clip, "rate" | "frames" | "segments" | "cut"> {
  readonly _tag: "Made"
  /** Why the clip is suspect, if it is. */
  readonly suspect: string | undefined
  /** Whether the transcript's times may be wrong. */
  readonly doubtful: boolean
}

/** Audio that cannot become a clip, and why. */
export interface Unusable {
  readonly _tag: "Unusable"
  readonly words: string
}

/**
 * Returns the samples at the rate at which they are stored. A WAV file's bytes are decoded; on failure, the reason is
 * returned.
 */
export const receivedSamples = (sound: Uint8Array | Pcm, most: number): Either.Either<Pcm, string> =>
  sound instanceof Uint8Array
    ? Either.mapBoth(decodeWav(sound, most), {
        onLeft: ({ message }) => message,
        onRight: (pcm) => resample(pcm, storedRateOf(pcm.rate))
      })
    : Either.right(sound)

/** Returns the clip file's bytes for a sound. */
export const clipFileBytes = (sound: Uint8Array | Pcm, samples: Pcm): Uint8Array =>
  sound instanceof Uint8Array ? keptWav16(samples, sound) : encodeWav16(samples)

/** Analyzes and judges a clip in steps of a few milliseconds each, so that other work can run in between. */
export function* analyzeClip(pcm: Pcm, wanted: ClipRequest): Generator<void, ClipMade | Unusable> {
  const { said } = wanted
  const speech = speechIn(pcm)
  yield
  const { aligned } = wanted
  const expected = aligned === undefined ? Option.getOrUndefined(heardParts(wanted)) : undefined
  const hints = { said, ...(aligned && { aligned }), ...(expected && { expected }) }
  const { segments, cut } = splitClip(pcm, said.length, hints, speech)
  const doubtful =
    speech !== undefined &&
    expected !== undefined &&
    ((said.length > 1 && cut !== "transcript") ||
      (expected.every((part) => part !== undefined) && areTimesDoubtful(pcm, speech, expected)))
  yield
  const verdict = judgeParts(pcm, { ...wanted, segments, speech })
  if (verdict._tag === "Unusable") return verdict
  yield
  const suspect = verdict._tag === "Suspect" ? verdict.words : undefined
  return {
    _tag: "Made",
    rate: pcm.rate,
    frames: frames(pcm.samples.length),
    segments,
    cut,
    suspect,
    doubtful
  }
}

/** Whether a transcript says where each part begins and ends. One of sentences does not, if parts share a sentence. */
export const timesParts = (request: Pick<ClipRequest, "said" | "transcript">): boolean =>
  Option.exists(heardParts(request), (parts) => parts.every((part) => part === undefined || part.exact))

/** When a transcript says each part. */
export const heardParts = ({ said, transcript }: Pick<ClipRequest, "said" | "transcript">) =>
  Option.fromNullable(transcript).pipe(
    Option.flatMap(({ text, format }) => Either.getRight(parseTranscript(text, format))),
    Option.flatMap((tokens) => Either.getRight(alignParts(said, tokens)))
  )

/** The facts by which a clip is judged. */
export interface ExpectedSpeech {
  readonly said: ReadonlyArray<string>
  /** One segment per part, or a single one for all. */
  readonly segments: ReadonlyArray<Segment>
  /** Whether the provider placed the parts on a timeline of their own, with silences in between. */
  readonly timed: boolean
  /** The voice's usual milliseconds of speech per character. */
  readonly usual: Estimate | undefined
  /** The bounds of the whole clip's speech, if already known. */
  readonly speech?: SpeechBounds | undefined
}

export type Verdict =
  | { readonly _tag: "Good" }
  /** Audible, but suspicious. */
  | { readonly _tag: "Suspect"; readonly words: string }
  /** It has no usable speech. */
  | { readonly _tag: "Unusable"; readonly words: string }

/** Minimum number of clips of a voice for its usual length to be trusted. */
const enough = 8

/** Judges a clip by its energy, clipping, tail and length. */
export const judgeParts = (pcm: Pcm, { said, segments, timed, usual, speech }: ExpectedSpeech): Verdict => {
  const known =
    usual === undefined || usual.count < enough
      ? {}
      : // For normally distributed values, the mean deviation is four fifths of the standard deviation.
        { learned: { mean: usual.mean, deviation: usual.spread * 1.25 } }
  const facts = (words: string): ClipFacts => ({
    characters: charactersOf(words),
    pauses: /[^\p{L}\p{N}\s'’][\s"'”’)]+\S/u.test(words),
    ...known
  })
  const apart = segments.length === said.length && said.length > 1
  const unsaid = said.flatMap((_, part) =>
    apart && !isHeard(segments, part) ? [`part ${part + 1} is not spoken`] : []
  )
  const suspicions = apart
    ? said.flatMap((words, part) =>
        (isHeard(segments, part) ? detectDefects(between(pcm, segments, part), facts(words)) : [])
          // Only the last part can be cut off; the others run into the next one.
          .filter((one) => one.kind !== "cut-off" || part === said.length - 1)
          .map((one) => ({ ...one, part: part + 1 }))
      )
    : detectDefects(pcm, facts(said.join(" ")), speech)
        .filter((one) => !(timed && said.length > 1 && (one.kind === "holed" || one.kind === "too-long")))
        .map((one) => ({ ...one, part: undefined }))
  if (suspicions.length === 0 && unsaid.length === 0) return { _tag: "Good" }
  const words = [...unsaid, ...suspicions.map(describe)].join("; ")
  return { _tag: suspicions.some((one) => one.kind === "silent") ? "Unusable" : "Suspect", words }
}

const isHeard = (segments: ReadonlyArray<Segment>, part: number): boolean => {
  const segment = segments[part]
  return segment === undefined || isSaid(segment)
}

/** A part with the silence around it, from halfway after the previous part to halfway before the next. */
const between = (pcm: Pcm, segments: ReadonlyArray<Segment>, part: number): Pcm => {
  const [before, here, after] = [segments[part - 1], segments[part], segments[part + 1]]
  if (here === undefined) return pcm
  const from = before === undefined ? 0 : Math.ceil((before.to + here.from) / 2)
  const to = after === undefined ? pcm.samples.length : Math.floor((here.to + after.from) / 2)
  return sliceOf(pcm, from, Math.max(from, to))
}

const describe = ({ kind, detail, part }: Suspicion & { readonly part: number | undefined }): string =>
  `${part === undefined ? "the audio" : `part ${part}`} is ${kind.replace("-", " ")}: ${detail}`
