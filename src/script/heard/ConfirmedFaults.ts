/**
 * Distinguishes a clip's faults from a recogniser's errors. A difference in the first transcript is a fault once three
 * transcripts show it. It is an error of the recogniser once two transcripts lack it.
 */
import type { HeardFault, PartHearing } from "../../domain/speech/Hearing.ts"
import {
  compareHeard,
  type ComparedText,
  type ExpectedWords,
  type HeardText,
  type SuspectedFault
} from "./HeardFaults.ts"
import { likenessOf } from "./WordAlignment.ts"

/** How many transcripts must show a fault, and how many may lack it. */
const [needed, lacking] = [3, 1]

/** The most transcripts of one clip. */
export const maxHearings = needed + lacking

/** Either the result, or a request for one more transcript. */
export type Judgement =
  { readonly _tag: "Heard"; readonly parts: ReadonlyArray<PartHearing> } | { readonly _tag: "Undecided" }

/** Judges a clip by its transcripts so far; there must be at least one. */
export const judgeHearings = (
  expected: ExpectedWords,
  [text, ...texts]: readonly [HeardText, ...ReadonlyArray<HeardText>]
): Judgement => {
  const first = compareHeard(expected, text)
  if (first.faults.length === 0) return heardAs(first, [])
  const others = texts.map((other) => compareHeard(expected, other))
  const suspects = first.faults.map((fault) => {
    const again = others.flatMap(({ faults }) => faults.find((other) => isSame(fault, other)) ?? [])
    return {
      fault: again.reduce(commonOf, fault),
      shown: again.length + 1,
      lacked: others.length - again.length
    }
  })
  if (suspects.some(({ shown, lacked }) => shown < needed && lacked <= lacking)) return { _tag: "Undecided" }
  const confirmed = suspects.flatMap(({ fault, shown }) => (shown >= needed ? [fault] : []))
  // The transcript with the fewest errors, among those that show no fault, describes the clip best.
  const cleanest = others.reduce((best, one) => (one.faults.length < best.faults.length ? one : best), first)
  return heardAs(confirmed.length > 0 ? first : cleanest, confirmed)
}

const heardAs = ({ heard }: ComparedText, faults: ReadonlyArray<SuspectedFault>): Judgement => ({
  _tag: "Heard",
  parts: heard.map((text, part) => ({
    heard: text,
    faults: faults
      .filter((fault) => fault.part === part)
      .map(({ kind, words, language }): HeardFault => ({
        kind,
        words,
        ...(language === undefined ? {} : { language })
      }))
  }))
})

const isAbsent = ({ kind }: SuspectedFault): boolean => kind === "missing" || kind === "cut-off"
const isOtherText = ({ kind }: SuspectedFault): boolean => kind === "wrong-line" || kind === "language"

/** Whether two transcripts show the same fault. */
const isSame = (one: SuspectedFault, other: SuspectedFault): boolean => {
  if (one.part !== other.part) return false
  if (isOtherText(one) || isOtherText(other)) return isOtherText(one) && isOtherText(other)
  if (isAbsent(one) || isAbsent(other))
    return isAbsent(one) && isAbsent(other) && one.asked[0] < other.asked[1] && other.asked[0] < one.asked[1]
  return Math.abs(one.asked[0] - other.asked[0]) <= 1 && sharesWords(one.words, other.words)
}

/** Whether added words share a word, or are similar as a whole. */
const sharesWords = (one: string, other: string): boolean => {
  const others = other.toLowerCase().split(" ")
  return (
    likenessOf(one.toLowerCase(), other.toLowerCase()) >= 0.5 ||
    one
      .toLowerCase()
      .split(" ")
      .some((word) => others.some((two) => likenessOf(word, two) >= 0.75))
  )
}

/** The fault that two transcripts share: with the shorter words, and the more specific kind. */
const commonOf = (one: SuspectedFault, other: SuspectedFault): SuspectedFault => {
  const shorter = isOtherText(one) || one.words.length <= other.words.length ? one : other
  const telling = [one, other].find(({ kind }) => kind === "language" || kind === "tag" || kind === "doubled")
  return {
    ...shorter,
    ...(telling === undefined ? {} : { kind: telling.kind, words: telling.words }),
    ...languageOf(telling)
  }
}

const languageOf = (fault: SuspectedFault | undefined) =>
  fault?.language === undefined ? {} : { language: fault.language }
