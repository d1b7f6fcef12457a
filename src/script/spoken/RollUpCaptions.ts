/**
 * Captions that repeat what is on the screen already: rolling ones, which carry the last line up and add one;
 * growing ones, which add words; and one text shown on over several cues. Said once each, when it first appears.
 */
import { wordCount, wordsOnly } from "../language/WritingSystems.ts"

/** What is looked at in a cue; times in milliseconds. */
export interface Shown {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly speaker: string | undefined
}

/** Cues that follow each other within this time are one display. */
const seamless = 120

/**
 * Share of cues that roll up from which on a file is taken for rolling captions, so that even short repeats are no
 * speech.
 */
const habit = 0.2

/** Words that nobody says again just so, from which on a repeat needs no habit of the file to be one. */
const longRepeat = 8

/**
 * What is new in each cue, in the order given (by start): its text, or an empty one where all of it was shown
 * before.
 */
export const removeRepeats = (cues: ReadonlyArray<Shown>): ReadonlyArray<string> => {
  const repeats = cues.map((cue, i) => repeatOf(cue, cues[i - 1]))
  const rolling =
    repeats.filter((repeat) => repeat.kind === "rolls" || repeat.kind === "grows").length >
    habit * cues.length
  const shown = new Set<string>()
  return cues.map((cue, i) => {
    const twin = `${cue.start} ${cue.end} ${cue.speaker ?? ""} ${wordsOnly(cue.text)}`
    if (cue.text !== "" && shown.has(twin)) return ""
    shown.add(twin)
    const repeat = repeats[i]
    if (repeat === undefined || repeat.kind === "none") return cue.text
    return rolling || repeat.sure ? repeat.fresh : cue.text
  })
}

interface Repeat {
  readonly kind: "none" | "rolls" | "grows" | "stays"
  /** What is left to say. */
  readonly fresh: string
  /**
   * Whether it is no chance, nor a speaker who says a thing twice: both are on the screen at once, or it is long.
   */
  readonly sure: boolean
}

const repeatOf = (cue: Shown, before: Shown | undefined): Repeat => {
  const none: Repeat = { kind: "none", fresh: cue.text, sure: false }
  if (before === undefined || cue.start > before.end + seamless || cue.start < before.start) return none
  if (cue.speaker !== before.speaker) return none
  const overlapping = cue.start < before.end
  const lines = linesOf(cue.text)
  const earlier = linesOf(before.text)
  if (lines.length === 0 || earlier.length === 0) return none
  const same = carried(earlier, lines)
  if (same > 0 && same < lines.length)
    return {
      kind: "rolls",
      fresh: lines.slice(same).join("\n"),
      sure: overlapping || wordCount(lines.slice(0, same).join(" ")) >= longRepeat
    }
  const now = wordsOnly(cue.text)
  const then = wordsOnly(before.text)
  if (same === lines.length || now === then)
    return { kind: "stays", fresh: "", sure: overlapping || wordCount(cue.text) >= longRepeat }
  if (then !== "" && now.startsWith(`${then} `))
    return {
      kind: "grows",
      fresh: behindWords(cue.text, then),
      sure: overlapping || wordCount(before.text) >= longRepeat
    }
  return none
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => wordsOnly(line) !== "")

/** How many of the last lines before are the first lines now. */
const carried = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): number => {
  for (let count = Math.min(before.length, now.length); count > 0; count--) {
    const last = before.slice(before.length - count)
    if (last.every((line, i) => wordsOnly(line) === wordsOnly(now[i] ?? ""))) return count
  }
  return 0
}

/** The text behind its first words; `words` is what they come to. */
const behindWords = (text: string, words: string): string => {
  let left = words.split(" ").length
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu))
    if (--left === 0)
      return text.slice(match.index + match[0].length).replace(/^[\p{P}\s]+(?=[\p{L}\p{N}])/u, "")
  return ""
}
