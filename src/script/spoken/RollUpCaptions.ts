/**
 * Removes repeats from captions, so that each text is spoken once, when it first appears. Roll-up captions move the
 * last line up and add one; growing captions add words; others show one text over several cues.
 */
import { wordCount, wordsOnly } from "../language/WritingSystems.ts"

/** The fields of a cue that are compared; times in milliseconds. */
export interface Shown {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly speaker: string | undefined
}

/** Longest gap in milliseconds between cues that count as one continuous display. */
const seamless = 120

/** Share of repeating cues above which a file counts as roll-up captions: even short repeats are then removed. */
const habit = 0.2

/** Number of words from which a repeat is removed in any file: speech does not repeat that much verbatim. */
const longRepeat = 8

/** Returns the new text of each cue; empty if all of it was shown before. Cues must be ordered by start. */
export const removeRepeats = (cues: ReadonlyArray<Shown>): ReadonlyArray<string> => {
  const repeats = cues.map((cue, i) => repeatOf(cue, cues[i - 1]))
  const rolling =
    repeats.filter((repeat) => repeat.kind === "rolls" || repeat.kind === "grows").length >
    habit * cues.length
  const times = cues.map((cue) => `${cue.start} ${cue.end} ${cue.speaker ?? ""}`)
  const together = repeated(times)
  const shown = new Set<string>()
  return cues.map((cue, i) => {
    const time = times[i] ?? ""
    if (together.has(time)) {
      const twin = `${time} ${wordsOnly(cue.text)}`
      if (cue.text !== "" && shown.has(twin)) return ""
      shown.add(twin)
    }
    const repeat = repeats[i]
    if (repeat === undefined || repeat.kind === "none") return cue.text
    return rolling || repeat.sure ? repeat.fresh : cue.text
  })
}

/** Returns the values that occur more than once. */
const repeated = (values: ReadonlyArray<string>): ReadonlySet<string> => {
  const once = new Set<string>()
  const twice = new Set<string>()
  for (const value of values) (once.has(value) ? twice : once).add(value)
  return twice
}

interface Repeat {
  readonly kind: "none" | "rolls" | "grows" | "stays"
  /** The new text. */
  readonly fresh: string
  /** Whether it is surely a repeat, not speech said twice: both cues overlap in time, or the repeat is long. */
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

/** Counts how many of the previous cue's last lines are this cue's first lines. */
const carried = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): number => {
  for (let count = Math.min(before.length, now.length); count > 0; count--) {
    const last = before.slice(before.length - count)
    if (last.every((line, i) => wordsOnly(line) === wordsOnly(now[i] ?? ""))) return count
  }
  return 0
}

/** Returns the text after its first words; `words` holds those words, normalized. */
const behindWords = (text: string, words: string): string => {
  let left = words.split(" ").length
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu))
    if (--left === 0)
      return text.slice(match.index + match[0].length).replace(/^[\p{P}\s]+(?=[\p{L}\p{N}])/u, "")
  return ""
}
