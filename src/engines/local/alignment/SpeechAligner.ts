/**
 * Finds the words of a text in any recording of it, without a model. eSpeak NG speaks the text in a thread, and its
 * speech is aligned with the clip. Deterministic; a clip of five seconds takes about 55 ms of processor time.
 */
import { Effect, Option } from "effect"
import type { SpeechFit } from "../../../audio/alignment/SpeechFit.ts"
import { millis } from "../../../domain/time/Units.ts"
import { espeakVoiceOf } from "../../BundledVoices.ts"
import type { WordMark, WordTiming } from "../../Engine.ts"
import { primaryLanguage } from "../../../domain/values/Ids.ts"
import { normalizeText } from "../../text/TextNormalization.ts"
import { unsupportedLetters } from "../../text/UnsupportedScript.ts"
import { englishWords } from "../../text/vietnamese/EnglishWords.ts"
import type { AlignJob, Span } from "../EngineProtocol.ts"
import { engineSentences } from "../EngineSentences.ts"
import { noteTokens, timingOfTokens } from "../SentenceSpeech.ts"
import { makeWorkerPool, type ThreadLimits } from "../WorkerPool.ts"

/** A clip and its expected text. */
export interface AlignmentRequest {
  /** A WAV file's bytes, or mono samples of any scale. */
  readonly sound: AlignJob["sound"]
  /** The text, in parts whose times are wanted; often a single one. */
  readonly said: ReadonlyArray<string>
  /** The text's language (BCP 47). */
  readonly language: string
  /** Whether to measure `strangeness`, too; doubles the time. */
  readonly compare?: boolean
}

/** The times of a text in its clip, and how well both agree. */
export interface AlignedText extends WordTiming {
  /** The time of each part, from its first to its last word; undefined for a part without words. */
  readonly parts: ReadonlyArray<Pick<WordMark, "start" | "end"> | undefined>
  readonly fit: SpeechFit
  /** Mean distance of the clip from eSpeak NG's speech; smaller in the text's own language than in others. */
  readonly distance: number
}

/** Aligns clips with their texts. */
export interface SpeechAligner {
  /** None if eSpeak NG does not know the language, is not installed, or cannot read the text. */
  readonly align: (request: AlignmentRequest) => Effect.Effect<Option.Option<AlignedText>>
}

const engine = "espeak"
/** Maximum bytes of a part of the text, as for the engine itself. */
const maxPart = 500

/** A clip takes far less than a second. On a machine that is overloaded, it must not be cut in another way. */
const deadline = "5 minutes"

/** Makes an aligner. Its threads start with the first clip, and end with the scope. */
export const makeSpeechAligner = Effect.fnUntraced(function* (limits: ThreadLimits = {}) {
  const pool = yield* makeWorkerPool(engine, { deadline, ...limits })
  const align: SpeechAligner["align"] = Effect.fn("SpeechAligner.align")(function* ({
    sound,
    said,
    language,
    compare = false
  }) {
    const voice = espeakVoiceOf(language)
    if (voice === undefined || unsupportedLetters(said.join(" "), voice) !== undefined) return Option.none()
    const byPart = said.map((text) => normalizeText(text, voice))
    const tokens = byPart.flatMap((own) =>
      own.map((token, index) => (index === 0 && token.gap === "" ? { ...token, gap: " " } : token))
    )
    const english = primaryLanguage(voice) === "vi" ? englishWords : undefined
    const sentences = engineSentences(tokens, maxPart, english)
    const parts = sentences.flatMap((sentence) => sentence.parts)
    const job = { _tag: "Align", voice, parts: parts.map(({ pieces }) => pieces), sound, compare } as const
    const found = yield* Effect.option(pool.ask(job))
    if (Option.isNone(found) || found.value._tag !== "Aligned") return Option.none()
    const { spans, distance, ratio, skipped, added, strangeness } = found.value
    const heard = new Map<number, Span>()
    parts.forEach((part, index) => noteTokens(heard, part, spans[index] ?? []))
    let from = 0
    return Option.some({
      ...timingOfTokens(tokens, sentences, heard),
      parts: byPart.map((own) => {
        const first = from
        from += own.length
        return rangeOf(heard, first, from)
      }),
      distance,
      fit: { ratio, skipped, added, ...(strangeness === null ? {} : { strangeness }) }
    })
  })
  return { align } satisfies SpeechAligner
})

/** Returns the time from the first to the last token that was heard among those in [from, to). */
const rangeOf = (heard: ReadonlyMap<number, Span>, from: number, to: number) => {
  const spans = Array.from({ length: to - from }, (_, index) => heard.get(from + index) ?? []).flat()
  const [first, last] = [spans[0], spans.at(-1)]
  return first === undefined || last === undefined
    ? undefined
    : { start: millis(first.start), end: millis(Math.max(first.start, last.end)) }
}
