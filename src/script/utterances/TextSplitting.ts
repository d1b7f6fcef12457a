/** Splits a text that is too long for one task: at speech pauses, never within a word, number, address or character. */
import { Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { charactersOf } from "../../domain/speech/Utterance.ts"
import { textSegments, splitSentences } from "../language/SentenceBoundaries.ts"
import { isUnspaced, unspaced } from "../language/WritingSystems.ts"

/** A position where a text may be split. */
export interface Joint {
  /** Position in UTF-16 units; the text before it belongs to the first piece. */
  readonly at: number
  /** 3 between paragraphs, 2 between sentences, 1 between clauses, 0 between words. */
  readonly rank: 0 | 1 | 2 | 3
}

/** Splits a text into pieces of similar length, each of at most `maxChars`. Fails with a word that is longer. */
export const splitText = (
  text: string,
  maxChars: number,
  language?: string
): Either.Either<NonEmptyReadonlyArray<string>, string> => {
  const whole = text.trim()
  if (charactersOf(whole) <= maxChars) return Either.right([whole])
  const joints = jointsOf(whole, language)
  const pieces: Array<string> = []
  let from = 0
  let next = 0
  let left = charactersOf(whole)
  while (left > maxChars) {
    while ((joints[next]?.at ?? Infinity) <= from) next++
    const cut = bestCut(whole, from, joints, next, left, maxChars)
    if (cut === undefined) return Either.left(firstWord(whole.slice(from), joints, from))
    pieces.push(whole.slice(from, cut).trim())
    left -= charactersOf(whole.slice(from, cut))
    from = cut
  }
  const last = whole.slice(from).trim()
  const [first, ...others] = last === "" ? pieces : [...pieces, last]
  return Either.right([first ?? whole, ...others])
}

/** Joins two texts, with a space in between if their script uses spaces. */
export const joinWords = (before: string, behind: string): string =>
  betweenUnspaced.test(`${before.slice(-2)}\n${behind.slice(0, 2)}`) ? before + behind : `${before} ${behind}`

const betweenUnspaced = new RegExp(`${unspaced}\\n${unspaced}`, "u")

/** Returns every position where a text may be split: before words, also in scripts without spaces. */
export const jointsOf = (text: string, language?: string): ReadonlyArray<Joint> => {
  const joints: Array<Joint> = []
  const sentenceEnds = endsOfSentences(text, language)
  const numbers = [...text.matchAll(/\d(?:[ \u00a0\u202f]\d{3})+(?!\d)/gu)].map(
    (match): readonly [number, number] => [match.index, match.index + match[0].length]
  )
  let number = 0
  let end = 0
  const add = (at: number, before: number): void => {
    while ((numbers[number]?.[1] ?? Infinity) <= at) number++
    if (at <= (numbers[number]?.[0] ?? Infinity))
      joints.push({ at, rank: rankOf(text, before, at, sentenceEnds) })
  }
  for (const { 0: token, index } of text.matchAll(/\S+/gu)) {
    if (index > 0 && /[\p{L}\p{N}]/u.test(token)) add(index, end)
    end = index + token.length
    if (isUnspaced(token))
      for (const at of wordStarts(token, language))
        if (isUnspacedJoint(token, at)) add(index + at, index + at)
  }
  return joints
}

/** Returns where the words of a text without spaces begin, except the first. */
const wordStarts = (text: string, language: string | undefined): ReadonlyArray<number> => {
  let at = 0
  return textSegments(text, "word", language)
    .map((word) => {
      const start = at
      at += word.length
      return start
    })
    .slice(1)
}

/** Ranks a joint at `at`; `before` is the end of the text before it, without white space. */
const rankOf = (
  text: string,
  before: number,
  at: number,
  sentenceEnds: ReadonlySet<number>
): Joint["rank"] =>
  /\n\s*\n/u.test(text.slice(before, at))
    ? 3
    : sentenceEnds.has(before)
      ? 2
      : /[,;:、，；：–—)\]”»]/u.test(text[before - 1] ?? "")
        ? 1
        : 0

const endsOfSentences = (text: string, language: string | undefined): ReadonlySet<number> => {
  const ends = new Set<number>()
  let at = 0
  for (const sentence of splitSentences(text, language)) {
    const found = text.indexOf(sentence, at)
    if (found < 0) continue
    at = found + sentence.length
    ends.add(at)
  }
  return ends
}

/**
 * Whether a text without spaces may be split at a position. It may not be split after an opening sign, before a closing
 * one, or between a number and its unit.
 */
const isUnspacedJoint = (text: string, at: number): boolean => {
  const before = text[at - 1] ?? ""
  const behind = text[at] ?? ""
  return (
    (isUnspaced(before) || isUnspaced(behind) || /[。！？、，；：」』）】]/u.test(before)) &&
    !/[\p{Ps}\p{Pi}\p{Nd}“‘]/u.test(before) &&
    !/[\p{P}\p{M}\p{Nd}\p{Lm}]/u.test(behind.replace(/[\p{Ps}\p{Pi}“‘]/u, ""))
  )
}

/** Cost of a split by its rank, as a share of the piece's length. */
const penalties = { 0: 0.9, 1: 0.5, 2: 0.1, 3: 0 } as const

/** Returns the split with the lowest cost: near an even share, preferably at a longer pause. */
const bestCut = (
  text: string,
  from: number,
  joints: ReadonlyArray<Joint>,
  next: number,
  left: number,
  maxChars: number
): number | undefined => {
  const target = left / Math.ceil(left / maxChars)
  let best: number | undefined
  let least = Infinity
  let size = 0
  let at = from
  for (const joint of joints.slice(next)) {
    size += charactersOf(text.slice(at, joint.at))
    at = joint.at
    const spoken = size - trailingSpace(text, joint.at)
    if (spoken > maxChars) break
    const cost = Math.abs(spoken - target) / target + penalties[joint.rank]
    if (spoken > 0 && cost <= least) {
      least = cost
      best = joint.at
    }
  }
  return best
}

const trailingSpace = (text: string, end: number): number => {
  let at = end
  while (at > 0 && /\s/u.test(text[at - 1] ?? "")) at--
  return end - at
}

const firstWord = (rest: string, joints: ReadonlyArray<Joint>, from: number): string => {
  const next = joints.find((joint) => joint.at > from)
  return (next === undefined ? rest : rest.slice(0, next.at - from)).trim()
}
