/** Speaks a text with a neural voice sentence by sentence, and joins the sentences with pauses of even length. */
import { Effect } from "effect"
import { joinedInt16 } from "../../audio/formats/Int16.ts"
import { millis, type SampleRate } from "../../domain/time/Units.ts"
import { type EngineUnavailable, type PcmSpeech, SpeechFailed, type WordMark } from "../Engine.ts"
import { engineSentences, type Part } from "../local/EngineSentences.ts"
import { inertText } from "../local/EspeakText.ts"
import { nothingToSay } from "../local/SentenceSpeech.ts"
import type { Token } from "../text/Token.ts"
import type { SaidSentence } from "./SherpaPool.ts"

/** Maximum bytes of one call. Memory grows with its length: 100,000 characters without a full stop take 3.6 GB. */
const longestPart = 400
/** Pauses between parts in ms at rate 1. Models leave from none to 0.8 s at a sentence's end, which is trimmed. */
const pauses = { sentence: 300, clause: 150, word: 0 } as const

/** How to speak a text. */
export interface NeuralSpeaker {
  readonly engine: string
  readonly rate: number
  /** Maximum length of the speech, in seconds. */
  readonly maxSeconds: number
  readonly say: (text: string) => Effect.Effect<SaidSentence, EngineUnavailable | SpeechFailed>
}

/** Returns the speech of all sentences with their times. Models report no times of words. */
export const speakNeural = Effect.fnUntraced(function* (
  tokens: ReadonlyArray<Token>,
  speaker: NeuralSpeaker
) {
  const { engine, maxSeconds } = speaker
  const blocks: Array<Int16Array> = []
  const marks: Array<WordMark> = []
  let rate: SampleRate | undefined
  let length = 0
  /** Pending pause after the previous part, in ms; added only if another part follows. */
  let pause = 0
  for (const sentence of engineSentences(tokens, longestPart)) {
    let start: number | undefined
    for (const part of sentence.parts) {
      const text = textOf(part, tokens)
      if (!/[\p{L}\p{N}\p{S}]/u.test(text)) continue
      const said = yield* speaker.say(text)
      // A part that the voice cannot read gives only silence: skip it.
      if (said.samples.length === 0) continue
      rate = said.rate
      const silence = Math.round((pause * rate) / 1000)
      if (silence > 0) blocks.push(new Int16Array(silence))
      start ??= length + silence
      blocks.push(said.samples)
      length += silence + said.samples.length
      pause = pauses[part.ends] / speaker.rate
      if (length / rate > maxSeconds) {
        const detail = `the text takes more than ${Math.round(maxSeconds)} seconds to speak; split it`
        return yield* new SpeechFailed({ engine, reason: "too-long", detail })
      }
    }
    if (rate !== undefined && start !== undefined)
      marks.push({
        text: sentence.text,
        start: millis((start * 1000) / rate),
        end: millis((length * 1000) / rate)
      })
  }
  if (rate === undefined) return yield* nothingToSay(engine)
  return {
    _tag: "Pcm",
    rate,
    samples: joinedInt16(blocks),
    words: [],
    sentences: marks
  } satisfies PcmSpeech
})

/**
 * Returns a part as text, without spaces in scripts that have none, and without characters that eSpeak NG would
 * interpret.
 */
const textOf = (part: Part, tokens: ReadonlyArray<Token>): string => {
  const words = part.pieces.map(({ text }, index) => {
    const token = part.tokens[index] ?? 0
    const isNew = token !== part.tokens[index - 1]
    return index === 0 || (isNew && tokens[token]?.gap === "") ? text : ` ${text}`
  })
  return inertText(words.join("")).replace(/\s+/gu, " ").trim()
}
