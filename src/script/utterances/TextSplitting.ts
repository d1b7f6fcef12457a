/**
 * A text too long for one task, in pieces: cut where speech pauses, never inside of a word, a number, an address or
 * a character.
 */
import { Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { charactersOf } from "../../domain/speech/Utterance.ts"
import { textSegments, splitSentences } from "../language/SentenceBoundaries.ts"
import { isUnspaced, unspaced } from "../language/WritingSystems.ts"

/** A place where a text may be cut. */
export interface Joint {
  /** The position in UTF-16 units: what stands before belongs to the first piece. */
  readonly at: number
  /** 3 between paragraphs, 2 between sentences, 1 between clauses, 0 between words. */
  readonly rank: 0 | 1 | 2 | 3
}

/**
 * The pieces of a text, each of at most `maxChars` characters and of about one length; or the word that alone is
 * longer.
 */
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

/** Two texts as one: with a space between where their writing sets spaces. */
export const joinWords = (before: string, behind: string): string =>
  betweenUnspaced.test(`${before.slice(-2)}\n${behind.slice(0, 2)}`) ? before + behind : `${before} ${behind}`

const betweenUnspaced = new RegExp(`${unspaced}\\n${unspaced}`, "u")

/**
 * Every place where a text may be cut, in order: at white space before a word, and between words that are written
 * without any.
 */
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

/** Where the words of a text without spaces begin, but for the first. */
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

/** `before` is where what stands before the joint ends, white space left out. */
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
 * Between two words that no space sets apart: not behind an opening sign, not before a closing one, not between a
 * number and its unit.
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

/** What a cut costs by its rank, as a share of the piece's length. */
const penalties = { 0: 0.9, 1: 0.5, 2: 0.1, 3: 0 } as const

/** The cut that comes nearest to an even share, moved to a better pause where one is not far. */
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
