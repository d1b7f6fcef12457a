/** Compares one transcript of a clip with the requested words, and finds the differences. */
import type { HeardFaultKind } from "../../domain/speech/Hearing.ts"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { type AlignmentStep, alignWords, likenessOf } from "./WordAlignment.ts"
import { type ComparableWord, comparableWords, languageShown } from "./ComparableWords.ts"

/** The expected words of a clip. */
export interface ExpectedWords {
  /** The words of each part, in order. */
  readonly parts: readonly [string, ...ReadonlyArray<string>]
  /** BCP 47 tag; undefined if unknown. */
  readonly language: string | undefined
  /** Texts of neighbouring lines, which a voice may have spoken instead. */
  readonly neighbours: ReadonlyArray<string>
  /** Text of the source that must not be spoken, such as "[whispering]" or tags. */
  readonly unsaid: string
}

/** One transcript of a clip. */
export interface HeardText {
  readonly text: string
  /** The language that the recogniser reports, if it was free to choose. */
  readonly language?: string | undefined
}

/** A difference in one transcript. */
export interface SuspectedFault {
  readonly kind: HeardFaultKind
  readonly part: number
  /** Range of positions among the requested words: the omitted ones, or an empty range where words were added. */
  readonly asked: readonly [from: number, to: number]
  readonly words: string
  readonly language?: string
}

/** A transcript, compared with the requested words. */
export interface ComparedText {
  /** The heard words of each part. */
  readonly heard: ReadonlyArray<string>
  readonly faults: ReadonlyArray<SuspectedFault>
}

/** Below this share of its letters, a part was not spoken as requested. */
const minHeard = 0.4
/** Below this share, it may be another text: a neighbour's, or another language. */
const doubtful = 0.6

/** Compares a transcript with the requested words. */
export const compareHeard = (
  expected: ExpectedWords,
  { text, language: reported }: HeardText
): ComparedText => {
  const { parts, language } = expected
  const asked = parts.flatMap((words, part) =>
    comparableWords(words, language, { other: text }).map((word) => ({ ...word, part }))
  )
  const heard = comparableWords(text, language, { heard: true, other: parts.join(" ") })
  const steps = alignWords(asked, heard)
  const sides = parts.map((_, part) => sideOf(steps, asked, heard, part))
  const wrong = sides.map((side, part) => otherText(expected, side, part, reported))
  const regular = stepFaults(steps, asked, heard, expected).filter(({ part }) => wrong[part] === undefined)
  return {
    heard: sides.map(({ words }) => words),
    faults: [...wrong.filter((fault) => fault !== undefined), ...regular]
  }
}

interface AskedWord extends ComparableWord {
  readonly part: number
}

/** The heard words of one part. */
interface PartSide {
  /** The range of asked words. */
  readonly asked: readonly [number, number]
  /** The heard words, as written. */
  readonly words: string
  /** Share of the part's letters that were heard. */
  readonly share: number
  /** Share of the heard letters that belong to the part. */
  readonly own: number
  readonly askedWords: number
}

const sideOf = (
  steps: ReadonlyArray<AlignmentStep>,
  asked: ReadonlyArray<AskedWord>,
  heard: ReadonlyArray<ComparableWord>,
  part: number
): PartSide => {
  const of = steps.filter((step) => partOf(step, asked) === part)
  const from = asked.findIndex((word) => word.part === part)
  const count = asked.filter((word) => word.part === part).length
  const total = lettersIn(asked, [from, from + count])
  const matched = matchedLetters(of, asked)
  const range = [of[0]?.heard[0] ?? 0, of.at(-1)?.heard[1] ?? 0] as const
  return {
    asked: [Math.max(0, from), Math.max(0, from) + count],
    words: written(heard, range),
    share: total === 0 ? 1 : matched / total,
    own: matched / Math.max(1, lettersIn(heard, range)),
    askedWords: count
  }
}

/** The letters of asked words that were heard, as far as they are alike. */
const matchedLetters = (steps: ReadonlyArray<AlignmentStep>, asked: ReadonlyArray<ComparableWord>): number =>
  steps.reduce(
    (sum, step) => sum + (step.likeness > 0.3 ? step.likeness * lettersIn(asked, step.asked) : 0),
    0
  )

const lettersIn = (words: ReadonlyArray<ComparableWord>, [from, to]: readonly [number, number]): number =>
  words.slice(from, to).reduce((sum, { form }) => sum + form.length, 0)

/** The part of a step: that of its asked words, or of the word before an added one. */
const partOf = ({ asked: [from, to] }: AlignmentStep, asked: ReadonlyArray<AskedWord>): number =>
  asked[to > from ? from : Math.max(0, from - 1)]?.part ?? 0

/** Joins words as written: without spaces in scripts that have none; a number's words occur once. */
const written = (words: ReadonlyArray<ComparableWord>, [from, to]: readonly [number, number]): string => {
  let text = ""
  let last: ComparableWord | undefined
  for (const word of words.slice(from, to)) {
    if (last !== undefined && word.written === last.written && /\p{Nd}/u.test(word.written)) continue
    text += last === undefined || (last.unspaced && word.unspaced) ? word.written : ` ${word.written}`
    last = word
  }
  return text
}

/** Returns the fault of a part in whose place another text was spoken; undefined if it was spoken. */
const otherText = (
  { parts, language, neighbours }: ExpectedWords,
  { asked, words, share, own, askedWords }: PartSide,
  part: number,
  reported: string | undefined
): SuspectedFault | undefined => {
  // If the heard words belong to the part, the rest is missing.
  if (share >= doubtful || own >= 0.7 || words === "" || askedWords === 0) return undefined
  const tongue = primaryTag(language)
  const spoken =
    languageShown(words, share < 0.25 ? 1 : 2) ?? (parts.length === 1 ? primaryTag(reported) : undefined)
  if (
    tongue !== undefined &&
    spoken !== undefined &&
    spoken !== tongue &&
    languageShown(parts[part] ?? "", 2) !== spoken
  )
    return { kind: "language", part, asked, words, language: spoken }
  const best = Math.max(
    0,
    ...[...neighbours, ...parts.filter((_, at) => at !== part)].map((text) => shareOf(text, words, language))
  )
  const isNeighbour = best >= 0.6 && best > share + 0.2
  // The single word of a short line is too easily misheard.
  return isNeighbour || (share < minHeard && askedWords > 1)
    ? { kind: "wrong-line", part, asked, words }
    : undefined
}

/** Returns the share of a text's letters that were heard. */
const shareOf = (text: string, heard: string, language: string | undefined): number => {
  const asked = comparableWords(text, language, { other: heard })
  const steps = alignWords(asked, comparableWords(heard, language, { heard: true, other: text }))
  return matchedLetters(steps, asked) / Math.max(1, lettersIn(asked, [0, asked.length]))
}

/** Returns the faults of words left out or added, in order. Neighbouring steps of one kind are one fault. */
const stepFaults = (
  steps: ReadonlyArray<AlignmentStep>,
  asked: ReadonlyArray<AskedWord>,
  heard: ReadonlyArray<ComparableWord>,
  expected: ExpectedWords
): ReadonlyArray<SuspectedFault> => {
  const faults: Array<SuspectedFault> = []
  for (let at = 0; at < steps.length;) {
    const step = steps[at]
    if (step === undefined) break
    let end = at + 1
    while (steps[end]?.kind === step.kind && partAt(steps, end, asked) === partAt(steps, at, asked)) end++
    const last = steps[end - 1] ?? step
    const part = partOf(step, asked)
    const askedRange = [step.asked[0], last.asked[1]] as const
    const heardRange = [step.heard[0], last.heard[1]] as const
    if (step.kind === "missing" && isAudible(asked, askedRange)) {
      const kind = askedRange[1] === asked.length && askedRange[0] > 0 ? "cut-off" : "missing"
      faults.push({ kind, part, asked: askedRange, words: written(asked, askedRange) })
    }
    if (step.kind === "invented" && isAudible(heard, heardRange))
      faults.push({
        kind: addedKind(heard, heardRange, expected),
        part,
        asked: askedRange,
        words: written(heard, heardRange)
      })
    at = end
  }
  const tail = steps.at(-1)
  if (tail !== undefined && isTruncated(tail, asked, heard))
    faults.push({
      kind: "cut-off",
      part: partOf(tail, asked),
      asked: tail.asked,
      words: written(asked, tail.asked)
    })
  return faults
}

const partAt = (steps: ReadonlyArray<AlignmentStep>, at: number, asked: ReadonlyArray<AskedWord>) => {
  const step = steps[at]
  return step === undefined ? undefined : partOf(step, asked)
}

/** Signs are often not written out, and a single character of a script without spaces is often spelt in another way. */
const isAudible = (words: ReadonlyArray<ComparableWord>, [from, to]: readonly [number, number]): boolean =>
  words.slice(from, to).some(({ optional }) => !optional) &&
  (to - from > 1 || words[from]?.unspaced === false)

/** Whether only the beginning of the last word was heard. */
const isTruncated = (
  { asked: [from, to], heard: [start, end] }: AlignmentStep,
  asked: ReadonlyArray<ComparableWord>,
  heard: ReadonlyArray<ComparableWord>
): boolean => {
  const whole = asked[from]?.form ?? ""
  const spoken = heard[start]?.form ?? ""
  return (
    to === asked.length &&
    to - from === 1 &&
    end - start === 1 &&
    whole.length >= 5 &&
    spoken.length <= whole.length * 0.7 &&
    whole.startsWith(spoken)
  )
}

/** Names of markup and of its signs, as voices read them. */
const markupWords = new Set(
  (
    "slash backslash bracket brackets less greater than font color colour span break br italic bold nbsp amp quot lt gt " +
    "an8 tag asterisk underscore hashtag equals schragstrich klammer kleiner grosser barre oblique chevron inferieur " +
    "superieur barra corchete parentese dâu2 gach5 cheo2 ngoăc5 the4"
  ).split(" ")
)

const addedKind = (
  heard: ReadonlyArray<ComparableWord>,
  [from, to]: readonly [number, number],
  { unsaid, language }: ExpectedWords
): "doubled" | "tag" | "invented" => {
  const count = to - from
  const added = heard.slice(from, to)
  const unsaidForms = new Set(
    comparableWords(unsaid.replace(/[<>{}[\]()]/gu, " "), language).map(({ form }) => form)
  )
  const marked = added.filter(({ form }) => unsaidForms.has(form) || markupWords.has(form)).length
  const text = added.map(({ form }) => form).join("")
  if (marked * 3 >= count || /すらっしゅ|たぐ|ふぉんと|かっこ/u.test(text)) return "tag"
  const like = (start: number) =>
    start >= 0 &&
    likenessOf(
      heard
        .slice(start, start + count)
        .map(({ form }) => form)
        .join(""),
      text
    ) >= 0.7
  return like(from - count) || like(to) ? "doubled" : "invented"
}

/** Returns the primary language of a tag or an English name ("english"); undefined if there is none. */
const primaryTag = (language: string | undefined): string | undefined => {
  const plain = language?.toLowerCase().trim()
  if (plain === undefined || plain === "") return undefined
  return namedLanguages.get(plain) ?? primaryLanguage(plain)
}

const names = new Intl.DisplayNames(["en"], { type: "language" })
/** Recognisers report a tag or an English name. */
const namedLanguages = new Map(
  "en de fr es it pt nl sv da no fi pl cs hu ro tr id vi ja ko zh th hi ru uk el he ar"
    .split(" ")
    .map((tag) => [(names.of(tag) ?? tag).toLowerCase(), tag])
)
