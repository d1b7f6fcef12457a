/** Speakers of cues that continue a named speaker's sentence without naming anybody. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Cue } from "../../domain/speech/Cue.ts"
import { breath, isPunctuated } from "../language/SentenceRuns.ts"
import { endsSentence } from "../language/SentenceBoundaries.ts"
import type { CueWords, WordsPart } from "./CueWords.ts"

/**
 * The words with each speaker kept to the end of a sentence: where a named speaker's cue does not end its sentence
 * and the next spoken cue follows within a breath, names nobody and does not begin with a dash or `>>`, that cue has
 * the same speaker. Named speakers and the words themselves never change.
 */
export const withSentencesKept = (
  words: ReadonlyArray<CueWords>,
  cues: ReadonlyArray<Cue>
): ReadonlyArray<CueWords> => {
  const strict = isPunctuated(
    words.flatMap((cue) => ("parts" in cue ? cue.parts.map(({ said }) => said) : []))
  )
  let before: WordsPart | undefined
  return words.map((cue, i) => {
    if (!("parts" in cue)) return cue
    const [first, ...others] = cue.parts
    const speaker = before?.speaker
    const kept =
      before !== undefined &&
      speaker !== undefined &&
      first.speaker === undefined &&
      !marked.test(cues[i]?.text ?? "") &&
      goesOn(before, first, strict)
    const parts: NonEmptyReadonlyArray<WordsPart> = kept ? [{ ...first, speaker }, ...others] : cue.parts
    before = parts.at(-1)
    return kept ? { ...cue, parts } : cue
  })
}

/** A sign at the start of a cue that someone else speaks. */
const marked = /^\s*(?:[-\u2010-\u2015\u2212]|>{2,})/u

const goesOn = (before: WordsPart, next: WordsPart, strict: boolean): boolean => {
  if (before.slot === undefined || next.slot === undefined) return false
  if (next.slot.start - before.slot.end > breath || next.slot.start < before.slot.start) return false
  const lower = /^["“”'‘’«»]*\p{Ll}/u.test(next.said)
  // Three dots or a dash end a sentence that is broken off, unless the next cue goes on in a small letter.
  if (/(?:\.{2,}|…|[—–-])["“”'‘’«»]*$/u.test(before.said)) return lower
  if (endsSentence(before.said)) return false
  return strict || lower || /[,;:、，；]$/u.test(before.said)
}

/** Cues of a subtitle that name nobody although speakers are named before them. */
export interface FollowUps {
  /** Spoken cues without a speaker that `stickySpeakers` would give to the speaker before them. */
  readonly unnamed: number
  /** All spoken cues. */
  readonly spoken: number
}

/**
 * How many cues of a subtitle fall back to the job's voice between named ones; undefined where they are few, or where
 * fewer than two speakers are named.
 */
export const followUpsOf = (
  words: ReadonlyArray<CueWords>,
  cues: ReadonlyArray<Cue>
): FollowUps | undefined => {
  const names = new Set<string>()
  let [unnamed, spoken] = [0, 0]
  let named = false
  words.forEach((cue, i) => {
    if (!("parts" in cue)) return
    spoken++
    for (const { speaker } of cue.parts) if (speaker !== undefined) names.add(speaker)
    if (named && cue.parts[0].speaker === undefined && !marked.test(cues[i]?.text ?? "")) unnamed++
    else named = cue.parts.at(-1)?.speaker !== undefined
  })
  return names.size >= 2 && unnamed >= Math.max(5, spoken * many) ? { unnamed, spoken } : undefined
}

/** Share of the spoken cues from which on unnamed follow-ups are worth a word. */
const many = 0.1
