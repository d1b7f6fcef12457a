/**
 * Detects bilingual subtitles: two languages on the lines of each cue, or in two ASS styles shown at the same time. A
 * monolingual file must never count as bilingual: both halves of a dialogue, a broken line or a song are in one
 * language.
 */
import type { Cue } from "../../domain/speech/Cue.ts"
import { type Languages, detectLanguages, ownLanguage } from "./BilingualLines.ts"
import { frequentWords, languageByWords } from "./LanguageWords.ts"
import { isPronounceable, scriptOf } from "./WritingSystems.ts"

/** A subtitle in two languages. */
export interface BilingualFile {
  /** The languages' English names, such as Chinese and English. */
  readonly names: Languages
  /** The ASS styles of the languages, if each has its own. */
  readonly styles: Languages | undefined
  /** Number of cues in both languages. */
  readonly both: number
  /** Number of cues with words. */
  readonly cues: number
  /** Whether the subtitle is certainly bilingual: at least ten cues, and 60 % of all, are in both languages. */
  readonly sure: boolean
}

/** Returns the two languages of a subtitle; undefined if it has only one. */
export const bilingualFileOf = (all: ReadonlyArray<Cue>): BilingualFile | undefined => {
  const cues = all.filter(({ sung, text }) => sung !== true && isPronounceable(text))
  const styles = pairedStyles(cues)
  const pairs = styles === undefined ? linePairs(cues) : styles.pairs
  const spoken = styles === undefined ? cues.length : cues.length - styles.pairs.length
  const found = languagesIn(pairs)
  if (found === undefined || found.both < fewest || found.both < spoken * share.doubt) return undefined
  return {
    ...found,
    cues: spoken,
    styles: styles?.styles,
    sure: found.both >= 10 && found.both >= spoken * share.sure
  }
}

/** Fewest bilingual cues of a bilingual file; fewer are quotes. */
const fewest = 5

/** Shares of bilingual cues from which a file counts as bilingual: possibly, and without doubt. */
const share = { doubt: 0.25, sure: 0.6 } as const

/** Two texts that say the same in two languages, if the file is bilingual. */
interface Pair {
  readonly first: string
  readonly second: string
}

/** Splits each cue's lines into two: where the script changes, or else in the middle. */
const linePairs = (cues: ReadonlyArray<Cue>): ReadonlyArray<Pair> => {
  const several = cues.filter(({ text }) => text.includes("\n"))
  const languages = detectLanguages(several.map(({ text }) => text))
  return several.flatMap(({ text }) => {
    const lines = text.split("\n").filter((line) => scriptOf(line) !== undefined)
    const at =
      languages === undefined
        ? Math.ceil(lines.length / 2)
        : lines.findIndex((line) => ownLanguage(line, languages) !== languages.first)
    return lines.length < 2 || at < 1
      ? []
      : [{ first: lines.slice(0, at).join("\n"), second: lines.slice(at).join("\n") }]
  })
}

/** Two styles shown together, each in its own cue. */
interface PairedStyles {
  readonly styles: Languages
  readonly pairs: ReadonlyArray<Pair>
}

/** Returns the style pair that most often has cues with the same times, in the order of the file. */
const pairedStyles = (cues: ReadonlyArray<Cue>): PairedStyles | undefined => {
  const shown = new Map<string, Array<Cue>>()
  for (const cue of cues) {
    if (cue.style === undefined) continue
    const time = `${Math.round(cue.start / 100)} ${Math.round(cue.end / 100)}`
    const together = shown.get(time)
    if (together === undefined) shown.set(time, [cue])
    else together.push(cue)
  }
  const found = new Map<string, { readonly styles: Languages; readonly pairs: Array<Pair> }>()
  for (const [one, other, ...more] of shown.values()) {
    if (one?.style === undefined || other?.style === undefined || more.length > 0) continue
    if (one.style === other.style || one.text === other.text) continue
    const [a, b] = one.line < other.line ? [one, other] : [other, one]
    const key = [one.style, other.style].sort().join("\n")
    const pair = found.get(key) ?? {
      styles: { first: a.style ?? "", second: b.style ?? "" },
      pairs: []
    }
    const turned = pair.styles.first !== a.style
    pair.pairs.push(turned ? { first: b.text, second: a.text } : { first: a.text, second: b.text })
    found.set(key, pair)
  }
  return [...found.values()].sort((a, b) => b.pairs.length - a.pairs.length)[0]
}

/** Detects the two languages of text pairs, by script or by frequent words; counts the pairs that are in both. */
const languagesIn = (
  pairs: ReadonlyArray<Pair>
): { readonly names: Languages; readonly both: number } | undefined => {
  const scripts = detectLanguages(pairs.map(({ first, second }) => `${lineOf(first)}\n${lineOf(second)}`))
  const [firsts, seconds] = [pairs.map(({ first }) => first), pairs.map(({ second }) => second)]
  if (scripts !== undefined) {
    const both = pairs.filter(
      ({ first, second }) =>
        ownLanguage(lineOf(first), scripts) === scripts.first &&
        ownLanguage(lineOf(second), scripts) === scripts.second
    ).length
    return {
      both,
      names: { first: nameIn(scripts.first, firsts), second: nameIn(scripts.second, seconds) }
    }
  }
  const [top, bottom] = [frequentWords(firsts.join("\n")), frequentWords(seconds.join("\n"))]
  const [first, second] = [languageByWords(top), languageByWords(bottom)]
  if (first === undefined || second === undefined || first === second) return undefined
  const far = (most: ReadonlyMap<string, number>, own: string, other: string) =>
    (most.get(own) ?? 0) >= 3 * (most.get(other) ?? 0)
  if (!far(top, first, second) || !far(bottom, second, first)) return undefined
  let [both, against] = [0, 0]
  for (const pair of pairs) {
    const [above, below] = [frequentWords(pair.first), frequentWords(pair.second)]
    const lead = (counts: ReadonlyMap<string, number>) => (counts.get(first) ?? 0) - (counts.get(second) ?? 0)
    if (lead(above) < 0 || lead(below) > 0) against++
    else both++
  }
  return against * 5 > both ? undefined : { both, names: { first: nameOf(first), second: nameOf(second) } }
}

const lineOf = (text: string): string => text.replaceAll("\n", " ")

const names = new Intl.DisplayNames("en", { type: "language" })
const nameOf = (language: string): string => names.of(language) ?? language

/** Returns the English name of the language of texts in a script; the script's name if it is unknown. */
const nameIn = (script: string, texts: ReadonlyArray<string>): string => {
  if (script === "Latin") {
    const language = languageByWords(frequentWords(texts.join("\n")))
    return language === undefined ? "the Latin script" : nameOf(language)
  }
  if (script === "Han")
    return /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(texts.join("")) ? "Japanese" : "Chinese"
  if (script === "Hangul") return "Korean"
  return /^(?:Hebrew|Greek|Thai)$/u.test(script) ? script : `the ${script} script`
}
