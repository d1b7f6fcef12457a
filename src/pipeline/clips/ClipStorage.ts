/** Decodes received audio, checks it, splits it into the utterance's parts and stores it as a clip. */
import { Context, Effect, Either, Option } from "effect"
import { isNonEmptyReadonlyArray } from "effect/Array"
import type { Expected } from "../../audio/speech/MissingParts.ts"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import { joinedMp3 } from "../../audio/formats/JoinedMp3.ts"
import { misfitOf, type Misfit } from "../../audio/alignment/SpeechFit.ts"
import { Clip, Segment } from "../../domain/speech/Clip.ts"
import { charactersOf, longestSoundOf, type Utterance } from "../../domain/speech/Utterance.ts"
import type { LanguageTag, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Fetched } from "../../gateway/requests/Download.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import { heardParts, timesParts, type Unusable } from "./ClipAnalysis.ts"
import { extensionOf } from "./AudioFormatDetection.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { inSpan } from "../Annotations.ts"
import { Progress } from "../Progress.ts"
import { ClipIntake } from "./ClipIntake.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { likelyLength } from "../../script/language/SpeechRate.ts"
import { alignParts, parseTranscript } from "../../script/Transcript.ts"
import { Frames, type Millis, type SampleRate } from "../../domain/time/Units.ts"

/** A stored clip. */
export interface KeptClip {
  readonly clip: Clip
  readonly bytes: number
  /** Why the clip is suspect, if it is. */
  readonly suspect: string | undefined
  /** Whether the suspicion is strong enough to pay for a new take. */
  readonly mayRetake: boolean
  /** Whether it may be the first part of a file that was not yet written whole. */
  readonly mayBePartial: boolean
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
    const { decode, align, makeClip, joiners } = Context.get(context, ClipIntake)
    const { key, casting, said } = utterance
    const ending = extensionOf(audio)
    const joined = ending === "mp3" ? joinedMp3(audio) : undefined
    if (joined !== undefined && !joiners.has(casting.provider)) {
      joiners.add(casting.provider)
      const message = `${casting.provider} sends MP3 files joined from several; what is between their frames is skipped`
      yield* Context.get(context, Progress).emit({ _tag: "Warning", message })
    }
    const bytes = joined ?? audio
    const laid = Effect.suspend(() =>
      Effect.as(clips.keepOriginal(key, ending, bytes), clips.originalOf(key, ending))
    )
    const most = longestSoundOf(utterance)
    const decoded = Effect.map(decode({ bytes, laid, most }), Either.right).pipe(
      Effect.catchTag("Undecodable", (fault) => Effect.succeed(Either.left(fault.words)))
    )
    const timed = utterance.input === "srt"
    const usual = learned.speechTime(casting)
    const isUncut = said.length > 1 && !timesParts({ said, transcript })
    const words = timesWords || said.length > 1 ? wordsOfTranscript(said, transcript) : []
    const isUntimed = timesWords && words.length === 0
    const isAligned = isUncut || isUntimed
    const sound: Either.Either<Pcm | Uint8Array, string> =
      ending === "wav" || (ending === "mp3" && !isAligned) ? Either.right(bytes) : yield* decoded
    const aligned =
      Either.isRight(sound) && isAligned ? yield* align(sound.right, said, language, isUncut) : undefined
    const wanted = { said, timed, most, transcript, usual, aligned: isUncut ? aligned?.parts : undefined }
    const first = Either.isLeft(sound)
      ? unusable(sound.left)
      : yield* makeClip(key, sound.right, wanted, decoded)
    if (first._tag === "Unusable") {
      yield* clips.keepOriginal(key, ending, audio)
      return Either.left(first)
    }
    const stored = storedWav(key, first.checksum)
    const alignStored = (compare: boolean) =>
      Effect.flatMap(stored, (wav) => (wav === undefined ? Effect.void : align(wav, said, language, compare)))
    // Times that the clip does not bear out are compared with its own.
    const isDoubted = first.doubtful && !isUncut && (timesWords || said.length > 1)
    const own = isDoubted ? (aligned ?? (yield* alignStored(true))) : aligned
    const ownParts =
      isDoubted &&
      own !== undefined &&
      misfitOf(own.fit) === undefined &&
      !areAlike(own.parts, heardParts(wanted))
        ? own.parts
        : undefined
    const again = ownParts === undefined || said.length === 1 ? undefined : yield* stored
    const remade =
      again === undefined ? first : yield* makeClip(key, again, { ...wanted, aligned: ownParts }, decoded)
    const made = remade._tag === "Unusable" ? first : remade
    const judged = isUncut || isDoubted ? own : undefined
    // The original, written for the decoder now, or kept by an earlier run that could not use it.
    if (ending !== "wav") yield* clips.dropOriginal(key, ending)
    const { rate, frames, checksum, cut } = made
    const found = words.length > 0 && ownParts === undefined ? words : (own?.words ?? [])
    const segments = withWordStarts(made.segments, said, found, rate)
    const characters = said.reduce((sum, words) => sum + charactersOf(words), 0)
    const length = speechMillis(segments, rate)
    const pace = usual === undefined || usual.count < enough ? undefined : length / (usual.mean * characters)
    const doubt = judged === undefined && made.suspect === undefined ? doubtOf(length, said, pace) : undefined
    const fit = (doubt === undefined ? judged : yield* alignStored(doubt === "any"))?.fit
    const misfit = fit === undefined ? undefined : misfitOf(fit, pace)
    const suspect = made.suspect ?? (misfit === undefined ? undefined : wordsOf(misfit))
    if (suspect === undefined) learned.spoke(casting, characters, length)
    return Either.right({
      clip: Clip.make(
        { key, rate, frames, checksum, segments, cut, ...(engine === undefined ? {} : { engine }) },
        skipValidation
      ),
      bytes: made.bytes,
      suspect,
      mayRetake: made.suspect !== undefined || misfit?.kind !== "another-text",
      mayBePartial: made.suspect === undefined && misfit?.kind === "cut-off"
    })
  }).pipe(inSpan("ClipStorage.keepClip"))

/** The inputs for storing a clip. */
type Needs = ClipFolder | Estimates | ClipIntake | Progress

const unusable = (words: string): Unusable => ({ _tag: "Unusable", words })

/** A copy of a stored clip's file. */
const storedWav = (key: UtteranceKey, checksum: string) =>
  Effect.flatMap(ClipFolder, ({ reading }) =>
    reading((reader) => reader.read(key, checksum, (bytes) => new Uint8Array(bytes)))
  )

/** Whether an alignment and a transcript agree where the parts after the first begin, or the only one. */
const areAlike = (own: ReadonlyArray<Expected> = [], heard: ReturnType<typeof heardParts>): boolean =>
  Option.exists(heard, (parts) =>
    own.every(
      ({ start }, at) => (at === 0 && own.length > 1) || Math.abs(start - (parts[at]?.start ?? NaN)) < alike
    )
  )

/** How far an alignment and right times may differ, in milliseconds. */
const alike = 150

const wordsOf = ({ kind, detail }: Misfit): string =>
  kind === "another-text"
    ? `the audio may say another text: ${detail}`
    : `the audio is ${kind.replace("-", " ")}: ${detail}`

/** Milliseconds of speech in a clip. */
const speechMillis = (segments: ReadonlyArray<Segment>, rate: number): number =>
  (segments.reduce((sum, segment) => sum + segment.to - segment.from, 0) * 1000) / rate

/** Minimum number of clips of a voice for its usual length to be trusted. */
const enough = 8
/** Shares of the expected length between which a clip is not compared: narrower if the voice's pace is known. */
const known = { least: 0.75, most: 1.4, whole: 0.85 }
const guessed = { least: 0.6, most: 1.6, whole: 0.8 }
/** Differences up to this are usual for short texts, in milliseconds. */
const slack = 400

/**
 * What may be wrong with a clip by the milliseconds of its speech: anything, or only that its end is missing. `pace`
 * compares them with the voice's usual length; complete speech was measured to have at least 0.81 of that.
 */
const doubtOf = (
  length: number,
  said: ReadonlyArray<string>,
  pace: number | undefined
): "any" | "end" | undefined => {
  const { least, most, whole } = pace === undefined ? guessed : known
  const expected =
    pace === undefined ? said.reduce((sum, text) => sum + likelyLength(text), 0) : length / pace
  if (length < expected * least - slack || length > expected * most + slack) return "any"
  return length < expected * whole ? "end" : undefined
}

/** Returns the words of all parts in order, as written; none if the transcript lacks their times. */
export const wordsOfTranscript = (
  said: ReadonlyArray<string>,
  transcript: Fetched["transcript"]
): ReadonlyArray<SaidWord> => {
  const words = said.flatMap((part) => part.split(/\s+/u))
  if (transcript === undefined || !isNonEmptyReadonlyArray(words)) return []
  const tokens = Either.getOrElse(parseTranscript(transcript.text, transcript.format), () => [])
  if (tokens.some(({ text }) => /\S\s+\S/u.test(text))) return []
  const found = Either.getOrElse(alignParts(words, tokens), () => [])
  return words.flatMap((text, at) => {
    const start = found[at]?.start
    return start === undefined ? [] : { text, start }
  })
}

/** When a word is said. */
interface SaidWord {
  readonly text: string
  readonly start: Millis
}

/** Maximum number of consecutive words without sound, such as dashes. */
const maxUnsaid = 2

/**
 * Adds the words to the segments, one for each part, or one for all of them. Segments without any of their words stay
 * as they are.
 */
export const withWordStarts = (
  segments: readonly [Segment, ...ReadonlyArray<Segment>],
  said: ReadonlyArray<string>,
  words: ReadonlyArray<SaidWord>,
  rate: SampleRate
): readonly [Segment, ...ReadonlyArray<Segment>] => {
  const texts = segments.length === 1 ? [said.join(" ")] : said
  if (segments.length !== texts.length) return segments
  let next = 0
  const startOf = (written: string): Millis | undefined => {
    const among = words.slice(next, next + 1 + maxUnsaid).findIndex(({ text }) => text === written)
    if (among < 0) return undefined
    next += among + 1
    return words[next - 1]?.start
  }
  const withWords = (segment: Segment, text: string): Segment => {
    const starts = text.split(/\s+/u).map(startOf)
    if (starts.every((start) => start === undefined)) return segment
    let past: number = segment.from
    const frames = starts.map((start) => {
      const frame = start === undefined ? past : Math.round((start * rate) / 1000)
      past = Math.min(segment.to, Math.max(past, frame))
      return Frames.make(past)
    })
    return Segment.make({ ...segment, words: frames }, skipValidation)
  }
  const [first, ...others] = segments
  return [
    withWords(first, texts[0] ?? ""),
    ...others.map((segment, part) => withWords(segment, texts[part + 1] ?? ""))
  ]
}
