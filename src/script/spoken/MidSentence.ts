/** Gives unlabelled cues that continue a named speaker's sentence to that speaker. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Cue } from "../../domain/speech/Cue.ts"
import { breath, isPunctuated } from "../language/SentenceRuns.ts"
import { endsSentence } from "../language/SentenceBoundaries.ts"
import type { CueWords, WordsPart } from "./CueWords.ts"

/**
 * Keeps each named speaker to the end of a sentence. The next spoken cue gets the same speaker if:
 *
 * - the named speaker's cue does not end its sentence, and
 * - the next cue follows within a breath, has no speaker, and does not begin with a dash or `>>`.
 *
 * Named speakers and the words themselves never change.
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

/** A mark at the start of a cue for a change of speaker. */
const marked = /^\s*(?:[-\u2010-\u2015\u2212]|>{2,})/u

const goesOn = (before: WordsPart, next: WordsPart, strict: boolean): boolean => {
  if (before.slot === undefined || next.slot === undefined) return false
  if (next.slot.start - before.slot.end > breath || next.slot.start < before.slot.start) return false
  const lower = /^["“”'‘’«»]*\p{Ll}/u.test(next.said)
  // An ellipsis or a dash ends a broken-off sentence, unless the next cue begins with a lower-case letter.
  if (/(?:\.{2,}|…|[—–-])["“”'‘’«»]*$/u.test(before.said)) return lower
  if (endsSentence(before.said)) return false
  return strict || lower || /[,;:、，；]$/u.test(before.said)
}

/** Counts of cues without a speaker after cues with one. */
export interface FollowUps {
  /** Spoken cues without a speaker to which `stickySpeakers` would give the previous speaker. */
  readonly unnamed: number
  /** All spoken cues. */
  readonly spoken: number
}

/**
 * Counts the cues that fall back to the job's voice between named ones. Returns undefined if they are few, or if fewer
 * than two speakers are named.
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

/** Share of the spoken cues from which unnamed follow-ups are reported. */
const many = 0.1
