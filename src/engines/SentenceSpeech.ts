/** A text spoken sentence by sentence, so that a long one never holds an engine for long, and put together again. */
import { Effect } from "effect"
import type { Millis, SampleRate } from "../domain/Units.ts"
import { millis } from "../domain/Units.ts"
import { type EngineUnavailable, type Mark, type PcmSpeech, SpeechFailed } from "./Engine.ts"
import type { Token } from "./Normalise.ts"
import type { Part, Sentence } from "./Sentences.ts"
import type { Span, Spoken } from "./WorkerProtocol.ts"

/** How a text is spoken part by part. */
export interface SentenceSpeaker {
  /** The engine's name, for errors. */
  readonly engine: string
  readonly speakPart: (part: Part) => Effect.Effect<Spoken, EngineUnavailable | SpeechFailed>
  /** Silence behind a part, in milliseconds, where the engine leaves none of its own. */
  readonly pauseAfter: (part: Part) => number
  /** 1 leaves samples as they are. */
  readonly volume: number
  /** A text that takes longer to say is refused; milliseconds. */
  readonly longest: Millis
}

/** The speech of all sentences with the times of every token that is said. */
export const speakSentences = Effect.fnUntraced(function* (
  tokens: ReadonlyArray<Token>,
  sentences: ReadonlyArray<Sentence>,
  speaker: SentenceSpeaker
) {
  const { engine, longest } = speaker
  const parts = sentences.flatMap((sentence, index) =>
    sentence.parts.map((part) => ({ part, sentence: index }))
  )
  const blocks: Array<Int16Array> = []
  const heard = new Map<number, Span>()
  let rate: SampleRate | undefined
  let length = 0
  for (const [index, { part }] of parts.entries()) {
    const spoken = yield* speaker.speakPart(part)
    rate = spoken.rate
    const offset = (length * 1000) / rate
    const ends = (spoken.samples.length * 1000) / rate
    for (const [token, span] of tokenSpans(part, spoken.spans, ends)) {
      const known = heard.get(token)
      heard.set(token, { start: known?.start ?? offset + span.start, end: offset + span.end })
    }
    const pause = index === parts.length - 1 ? 0 : Math.round((speaker.pauseAfter(part) * rate) / 1000)
    blocks.push(spoken.samples, new Int16Array(pause))
    length += spoken.samples.length + pause
    if ((length * 1000) / rate > longest) {
      const detail = `the text takes longer to say than ${Math.round(longest / 60_000)} minutes: split it`
      return yield* new SpeechFailed({ engine, reason: "too-long", detail })
    }
  }
  if (rate === undefined) {
    const detail = "the text has nothing that can be said: expected at least one word or number"
    return yield* new SpeechFailed({ engine, reason: "nothing-to-say", detail })
  }
  return {
    _tag: "Pcm",
    rate,
    samples: louder(joined(blocks, length), speaker.volume),
    words: inOrder(tokens.flatMap((token, index) => marked(token.original, heard.get(index)))),
    sentences: inOrder(sentences.flatMap((sentence) => marked(sentence.text, spanOf(sentence, heard))))
  } satisfies PcmSpeech
})

/** Each token's span in a part; pieces of which the engine told no time share their neighbour's by their length. */
const tokenSpans = (
  part: Part,
  told: ReadonlyArray<Span | null>,
  ends: number
): ReadonlyArray<readonly [number, Span]> => {
  const spans = shared(
    part.pieces.map(({ text }) => text.length),
    told,
    ends
  )
  return spans.flatMap((span, index) => {
    const token = part.tokens[index]
    return token === undefined ? [] : [[token, span] as const]
  })
}

/** Every piece a span: a group that starts with a told span and goes on with untold ones divides it by length. */
const shared = (
  lengths: ReadonlyArray<number>,
  told: ReadonlyArray<Span | null>,
  ends: number
): ReadonlyArray<Span> => {
  const result: Array<Span> = []
  let index = 0
  while (index < lengths.length) {
    let next = index + 1
    while (next < lengths.length && told[next] === null) next++
    // Only the first group can begin with an untold piece: it takes from the first one told.
    const first = told[index] ?? told[next] ?? { start: 0, end: ends }
    if (told[index] === null && next < lengths.length) {
      next++
      while (next < lengths.length && told[next] === null) next++
    }
    const sum = lengths.slice(index, next).reduce((total, each) => total + each, 0)
    let passed = 0
    for (; index < next; index++) {
      const from = first.start + ((first.end - first.start) * passed) / sum
      passed += lengths[index] ?? 0
      result.push({ start: from, end: first.start + ((first.end - first.start) * passed) / sum })
    }
  }
  return result
}

const spanOf = (sentence: Sentence, heard: ReadonlyMap<number, Span>): Span | undefined => {
  const first = heard.get(sentence.parts[0]?.tokens[0] ?? -1)
  const last = heard.get(sentence.parts.at(-1)?.tokens.at(-1) ?? -1)
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end }
}

const marked = (text: string, span: Span | undefined): ReadonlyArray<Mark> =>
  span === undefined ? [] : [{ text, start: millis(span.start), end: millis(span.end) }]

/** Rounding never lets a mark start before its neighbour ends. */
const inOrder = (marks: ReadonlyArray<Mark>): ReadonlyArray<Mark> => {
  let past = millis(0)
  return marks.map((mark) => {
    const start = millis(Math.max(past, mark.start))
    past = millis(Math.max(start, mark.end))
    return { text: mark.text, start, end: past }
  })
}

const joined = (blocks: ReadonlyArray<Int16Array>, length: number): Int16Array => {
  const whole = new Int16Array(length)
  let at = 0
  for (const block of blocks) {
    whole.set(block, at)
    at += block.length
  }
  return whole
}

/** From here on louder samples are bent towards full scale, which they never pass. */
const knee = 0.8 * 32_767

/** The samples times a volume; peaks are rounded off instead of cut. */
const louder = (samples: Int16Array, volume: number): Int16Array => {
  if (volume === 1) return samples
  const room = 32_767 - knee
  return samples.map((sample) => {
    const level = Math.abs(sample) * volume
    if (level <= knee) return Math.round(sample * volume)
    const over = (level - knee) / room
    return Math.round(Math.sign(sample) * (knee + (room * over) / (1 + over)))
  })
}
