/** Synthesizes a task: speaks its text or SRT with an engine, and times each sentence and word. */
import { Effect, Either, Option } from "effect"
import { misfitOf } from "../../audio/alignment/SpeechFit.ts"
import { Frames, framesAt, millis, type Millis, millisAt, SampleRate } from "../../domain/time/Units.ts"
import { type Engine, type EngineUnavailable, type WordMark, SpeechFailed } from "../../engines/Engine.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { charactersOf, longestSound } from "../../domain/speech/Utterance.ts"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { splitTone, type TonedText } from "../../domain/values/Tone.ts"
import type { SpeechAligner } from "../../engines/local/alignment/SpeechAligner.ts"
import { knownLanguages, languageOf } from "../../script/language/LanguageGuess.ts"
import type { ServedModel, ServedVoice } from "../catalogue/Catalogue.ts"
import { readEntries } from "./SrtText.ts"
import { type Caption, captionsOf } from "./TaskTranscript.ts"

/** What to speak: text, voice, model and controls. */
export interface SpeakingOrder {
  readonly voice: ServedVoice
  readonly model: ServedModel
  readonly text: string
  readonly input: "text" | "srt"
  readonly speed: number
  readonly vol: number
  readonly pitch: number
  /** Whether word times are wanted. If so, and the engine reports none, they are found in its speech. */
  readonly timed: boolean
}

/** Samples, and the frame at which they start. Runs are sorted and do not overlap; the gaps between them are silent. */
export interface Run {
  readonly at: Frames
  readonly samples: Int16Array
}

/** A synthesized task: audio and timings. */
export interface SynthesizedTask {
  readonly rate: SampleRate
  readonly runs: ReadonlyArray<Run>
  /** Total length, silence included. */
  readonly frames: Frames
  readonly sentences: ReadonlyArray<WordMark>
  readonly words: ReadonlyArray<WordMark>
  readonly captions: ReadonlyArray<Caption>
}

/** Sample rate in Hz to which an engine's encoded audio is decoded. */
const decodedRate = SampleRate.make(24_000)

/**
 * Speaks a plain text whole, or an SRT entry by entry. An entry starts at its own time, or when the previous one ends
 * if that is later, so nothing is cut and nothing overlaps. An entry with nothing to say stays silent. Fails with
 * `nothing-to-say` if the whole text has nothing to say.
 */
export const synthesizeTask = Effect.fn("Synthesis.synthesizeTask")(function* (
  engine: Engine,
  order: SpeakingOrder,
  aligner: SpeechAligner
) {
  if (order.input === "text") {
    const said = yield* say(engine, order, aligner, order.text, order.text)
    return {
      rate: said.rate,
      runs: [{ at: Frames.make(0), samples: said.samples }],
      frames: Frames.make(said.samples.length),
      sentences: said.sentences,
      words: said.words,
      captions: captionsOf(said.sentences, said.words)
    } satisfies SynthesizedTask
  }
  const entries = Either.getOrElse(readEntries(order.text), () => [])
  const runs: Array<Run> = []
  const sentences: Array<WordMark> = []
  const words: Array<WordMark> = []
  const captions: Array<Caption> = []
  let rate: SampleRate | undefined
  let end = 0
  for (const [index, entry] of entries.entries()) {
    const around = { before: entries[index - 1]?.text, after: entries[index + 1]?.text }
    const heard = yield* say(engine, order, aligner, entry.text, order.text, around).pipe(
      Effect.asSome,
      Effect.catchIf(
        (failure) => failure._tag === "SpeechFailed" && failure.reason === "nothing-to-say",
        () => Effect.succeedNone
      )
    )
    if (Option.isNone(heard)) continue
    const said = heard.value
    rate = said.rate
    const at = Frames.make(Math.max(end, framesAt(entry.start, rate)))
    end = at + said.samples.length
    runs.push({ at, samples: said.samples })
    const offset = millisAt(at, rate)
    const shifted = (mark: WordMark): WordMark => ({
      text: mark.text,
      start: millis(mark.start + offset),
      end: millis(mark.end + offset)
    })
    sentences.push(...said.sentences.map(shifted))
    words.push(...said.words.map(shifted))
    captions.push({
      text: tonedText(engine, entry.text).text,
      start: millis(offset + (said.sentences[0]?.start ?? 0)),
      end: millis(offset + (said.sentences.at(-1)?.end ?? lengthOf(said)))
    })
  }
  if (rate === undefined)
    return yield* new SpeechFailed({
      engine: engine.name,
      reason: "nothing-to-say",
      detail: "the SRT has no entries with words to speak; add words to an entry"
    })
  return { rate, runs, frames: Frames.make(end), sentences, words, captions } satisfies SynthesizedTask
})

/** Maximum frames per block. Bounds the encoder's memory for texts of any length. */
export const maxBlock = 65_536

/** Yields the task's samples from start to end, silence included, in blocks generated on demand. */
export const blocksOf = function* (spoken: SynthesizedTask): Generator<Int16Array> {
  let position = 0
  for (const { at, samples } of spoken.runs) {
    yield* silence(at - position)
    for (let from = 0; from < samples.length; from += maxBlock) {
      yield samples.subarray(from, from + maxBlock)
    }
    position = at + samples.length
  }
  yield* silence(spoken.frames - position)
}

const silence = function* (frames: number): Generator<Int16Array> {
  for (let left = frames; left > 0; left -= maxBlock) yield silentBlock.subarray(0, left)
}

const silentBlock = new Int16Array(maxBlock)

interface Said {
  readonly rate: SampleRate
  readonly samples: Int16Array
  readonly sentences: ReadonlyArray<WordMark>
  readonly words: ReadonlyArray<WordMark>
}

/** Speaks one text. Detects the language for a multilingual voice on `whole`: one entry may be too short for that. */
const say = Effect.fnUntraced(function* (
  engine: Engine,
  order: SpeakingOrder,
  aligner: SpeechAligner,
  words: string,
  whole: string,
  { before, after }: { readonly before?: string | undefined; readonly after?: string | undefined } = {}
): Effect.fn.Return<Said, EngineUnavailable | SpeechFailed, Ffmpeg> {
  const speaker = order.voice.speakerOf(whole)
  const { text, ...toned } = tonedText(engine, words)
  const speech = yield* engine.speak({
    ...speaker,
    ...toned,
    text,
    rate: order.voice.rate * order.model.rate * order.speed,
    volume: order.voice.volume * order.vol,
    pitch: order.voice.pitch + order.model.pitch + order.pitch,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after })
  })
  const timed = (said: Said) =>
    order.timed && said.words.length === 0
      ? withAlignment(aligner, text, speaker.language ?? languageIn(whole, order.voice), said)
      : Effect.succeed(withSentences(text, said))
  if (speech._tag === "Pcm") return yield* timed(speech)
  const ffmpeg = yield* Ffmpeg
  const samples = yield* ffmpeg
    .decodeBytes(
      speech.bytes,
      `the audio of engine ${engine.name}`,
      decodedRate,
      longestSound(charactersOf(text))
    )
    .pipe(
      Effect.mapError(
        (cause) =>
          new SpeechFailed({ engine: engine.name, reason: "bad-output", detail: cause.message, cause })
      )
    )
  return yield* timed({
    rate: decodedRate,
    samples,
    sentences: speech.sentences,
    words: speech.words
  })
})

/** Separates the tone from a text, for engines that take tones. */
const tonedText = ({ takesTone }: Engine, text: string): TonedText =>
  takesTone === true ? splitTone(text) : { text }

/** Finds the words in the speech. Leaves it as it is if eSpeak NG does not know the language, or words are missing. */
const withAlignment = (aligner: SpeechAligner, text: string, language: string, said: Said) =>
  Effect.map(
    aligner.align({ sound: { rate: said.rate, samples: said.samples }, said: [text], language }),
    Option.match({
      onNone: () => withSentences(text, said),
      onSome: ({ words, sentences, fit }) =>
        misfitOf(fit) === undefined
          ? { ...said, words, sentences: said.sentences.length > 0 ? said.sentences : sentences }
          : withSentences(text, said)
    })
  )

/** Returns the likely language of a text among those of its voice. */
const languageIn = (text: string, { wire: { languages } }: ServedVoice): string => {
  const [only, ...others] = languages
  if (only !== undefined && others.length === 0) return only
  return languageOf(
    text,
    languages.length === 0 ? knownLanguages : [...new Set(languages.map(primaryLanguage))]
  )
}

/** If the engine reports no timings, treats the whole text as one sentence that spans the whole audio. */
const withSentences = (text: string, said: Said): Said =>
  said.sentences.length > 0
    ? said
    : {
        ...said,
        sentences: [{ text: text.replace(/\s+/gu, " ").trim(), start: millis(0), end: lengthOf(said) }]
      }

const lengthOf = (said: { readonly rate: SampleRate; readonly samples: Int16Array }): Millis =>
  millisAt(Frames.make(said.samples.length), said.rate)
