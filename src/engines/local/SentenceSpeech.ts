/** Speaks a text sentence by sentence, so that a long text never blocks an engine for long, and joins the results. */
import { Effect } from "effect"
import { joinedInt16 } from "../../audio/formats/Int16.ts"
import type { Millis, SampleRate } from "../../domain/time/Units.ts"
import { millis } from "../../domain/time/Units.ts"
import {
  type EngineUnavailable,
  type WordMark,
  type PcmSpeech,
  SpeechFailed,
  type WordTiming
} from "../Engine.ts"
import type { Token } from "../text/Token.ts"
import type { Part, Sentence } from "./EngineSentences.ts"
import type { Piece, Span, SpokenSentence } from "./EngineProtocol.ts"

/** Speech of a part. Spans that are missing belong to the piece before; if all are null, the part was not spoken. */
export type SpokenPart = Omit<SpokenSentence, "_tag">

/** How to speak a text part by part. */
export interface SentenceSpeaker {
  /** The engine's name, for errors. */
  readonly engine: string
  readonly speakPart: (part: Part) => Effect.Effect<SpokenPart, EngineUnavailable | SpeechFailed>
  /** Silence to add after a part, in milliseconds, if the engine leaves none itself. */
  readonly pauseAfter: (part: Part) => number
  /** 1 leaves the samples unchanged. */
  readonly volume: number
  /** Maximum length of the speech; a longer text is rejected. */
  readonly longest: Millis
}

/** Speaks all sentences. Returns the joined speech with the times of all spoken tokens. */
export const speakSentences = Effect.fnUntraced(function* (
  tokens: ReadonlyArray<Token>,
  sentences: ReadonlyArray<Sentence>,
  speaker: SentenceSpeaker
) {
  const { engine, longest } = speaker
  const blocks: Array<Int16Array> = []
  const heard = new Map<number, Span>()
  let rate: SampleRate | undefined
  let length = 0
  /** Pending pause after the previous part, in samples; added only if another part follows. */
  let pause = 0
  for (const part of sentences.flatMap((sentence) => sentence.parts)) {
    const spoken = yield* speaker.speakPart(part)
    // A part that the voice cannot read, such as letters of another script, gives only a short silence: skip it.
    if (spoken.spans.every((span) => span === null)) continue
    rate = spoken.rate
    if (pause > 0) blocks.push(new Int16Array(pause))
    const offset = ((length + pause) * 1000) / rate
    noteTokens(heard, part, sharedSpans(part.pieces, spoken.spans), offset)
    blocks.push(spoken.samples)
    length += pause + spoken.samples.length
    pause = Math.round((speaker.pauseAfter(part) * rate) / 1000)
    if ((length * 1000) / rate > longest) {
      const detail = `the text takes more than ${Math.round(longest / 1000)} seconds to speak; split it`
      return yield* new SpeechFailed({ engine, reason: "too-long", detail })
    }
  }
  if (rate === undefined) return yield* nothingToSay(engine)
  return {
    _tag: "Pcm",
    rate,
    samples: louder(joinedInt16(blocks), speaker.volume),
    ...timingOfTokens(tokens, sentences, heard)
  } satisfies PcmSpeech
})

/** The error for a text without a word that the voice can speak. */
const nothingToSay = (engine: string): SpeechFailed =>
  new SpeechFailed({
    engine,
    reason: "nothing-to-say",
    detail: "the text has nothing that this voice can speak; expected a word or a number in its language"
  })

/** Adds the times of a part's tokens to those heard so far; `offset` is the part's own start. */
export const noteTokens = (
  heard: Map<number, Span>,
  part: Part,
  spans: ReadonlyArray<Span | null>,
  offset = 0
): void => {
  for (const [index, span] of spans.entries()) {
    const token = part.tokens[index]
    if (token === undefined || span === null) continue
    heard.set(token, { start: heard.get(token)?.start ?? offset + span.start, end: offset + span.end })
  }
}

/** Returns the marks of the tokens that were heard, and of their sentences. */
export const timingOfTokens = (
  tokens: ReadonlyArray<Token>,
  sentences: ReadonlyArray<Sentence>,
  heard: ReadonlyMap<number, Span>
): WordTiming => ({
  words: inOrder(tokens.flatMap((token, index) => marked(token.original, heard.get(index)))),
  sentences: inOrder(sentences.flatMap((sentence) => marked(sentence.text, spanOf(sentence, heard))))
})

/**
 * Returns a span for every piece. Pieces without a time share the span of the timed piece before them, in proportion to
 * their length. Those at the very beginning share the first timed piece's span.
 */
export const sharedSpans = (
  pieces: ReadonlyArray<Piece>,
  told: ReadonlyArray<Span | null>
): ReadonlyArray<Span> => {
  const result: Array<Span> = []
  const isUntold = (index: number) => index < pieces.length && (told[index] ?? null) === null
  while (result.length < pieces.length) {
    const from = result.length
    let owner = from
    while (isUntold(owner)) owner++
    let to = owner + 1
    while (isUntold(to)) to++
    const span = told[owner] ?? { start: 0, end: 0 }
    const lengths = pieces.slice(from, to).map(({ text }) => text.length)
    const sum = lengths.reduce((total, each) => total + each, 0)
    let passed = 0
    for (const each of lengths) {
      const start = span.start + ((span.end - span.start) * passed) / sum
      passed += each
      result.push({ start, end: span.start + ((span.end - span.start) * passed) / sum })
    }
  }
  return result
}

/** Returns the span from a sentence's first to its last spoken token. */
const spanOf = (sentence: Sentence, heard: ReadonlyMap<number, Span>): Span | undefined => {
  const spans = sentence.parts.flatMap(({ tokens }) => tokens.flatMap((token) => heard.get(token) ?? []))
  const first = spans[0]
  const last = spans.at(-1)
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end }
}

const marked = (text: string, span: Span | undefined): ReadonlyArray<WordMark> =>
  span === undefined ? [] : [{ text, start: millis(span.start), end: millis(span.end) }]

/** Rounds the marks' times such that no mark starts before the previous one ends. */
const inOrder = (marks: ReadonlyArray<WordMark>): ReadonlyArray<WordMark> => {
  let past = millis(0)
  return marks.map((mark) => {
    const start = millis(Math.max(past, mark.start))
    past = millis(Math.max(start, mark.end))
    return { text: mark.text, start, end: past }
  })
}

/** Level above which samples are compressed smoothly, so that they never exceed full scale. */
const knee = 0.8 * 32_767

/** Multiplies samples by a volume, with soft clipping of the peaks. */
const louder = (samples: Int16Array, volume: number): Int16Array => {
  if (volume === 1) return samples
  const headroom = 32_767 - knee
  return samples.map((sample) => {
    const level = Math.abs(sample) * volume
    if (level <= knee) return Math.round(sample * volume)
    const over = (level - knee) / headroom
    return Math.round(Math.sign(sample) * (knee + (headroom * over) / (1 + over)))
  })
}
