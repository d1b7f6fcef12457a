/**
 * Removes repeats from captions, so that each text is spoken once, when it first appears. Roll-up captions move the
 * last line, or the last words, up and add some; growing captions add words; others show one text over several cues.
 */
import { unspaced, wordCount, wordsOnly } from "../language/WritingSystems.ts"
import { type Shown, withoutAnimation } from "./AnimatedCaptions.ts"

/** Longest gap in milliseconds between cues that count as one continuous display. */
const seamless = 120

/** Share of repeating cues above which a file counts as roll-up captions: even short repeats are then removed. */
const habit = 0.2

/** Number of words from which a repeat is removed in any file: speech does not repeat that much verbatim. */
const longRepeat = 8

/** Returns each cue with its new text, which is empty if all of it was shown before. Cues must be ordered by start. */
export const removeRepeats = (cues: ReadonlyArray<Shown>): ReadonlyArray<Shown> => {
  const still = withoutAnimation(cues)
  let before: Shown | undefined
  const repeats = still.map((cue) => {
    const repeat = repeatOf(cue, before)
    if (cue.text !== "") before = cue
    return repeat
  })
  const rolling = repeats.filter((repeat) => repeat?.counts === true).length > habit * cues.length
  return still.map((cue, i) => {
    const repeat = repeats[i]
    return repeat !== undefined && (rolling || repeat.sure) ? { ...cue, text: repeat.fresh } : cue
  })
}

interface Repeat {
  /** The new text. */
  readonly fresh: string
  /** Whether it is surely a repeat, not speech said twice: both cues overlap in time, or the repeat is long. */
  readonly sure: boolean
  /** Whether it is a sign of roll-up captions. */
  readonly counts: boolean
}

const repeatOf = (cue: Shown, before: Shown | undefined): Repeat | undefined => {
  if (before === undefined || cue.start > before.end + seamless || cue.start < before.start) return undefined
  if (cue.speaker !== before.speaker) return undefined
  const overlapping = cue.start < before.end
  const isSure = (repeated: string, enough = 0) => wordCount(repeated) >= (overlapping ? enough : longRepeat)
  const lines = linesOf(cue.text)
  const earlier = linesOf(before.text)
  if (lines.length === 0 || earlier.length === 0) return undefined
  const same = carried(earlier, lines)
  if (same > 0 && same < lines.length)
    return {
      fresh: lines.slice(same).join("\n"),
      sure: isSure(lines.slice(0, same).join(" ")),
      counts: true
    }
  if (same === lines.length || wordsOnly(cue.text) === wordsOnly(before.text))
    return { fresh: "", sure: isSure(cue.text), counts: false }
  const now = wordsOf(cue.text)
  const then = wordsOf(before.text)
  const shared = overlapOf(then, now)
  const repeated = now.slice(0, shared).join(" ")
  const grows = shared === then.length
  // A word may be said twice: "... it." "It is."
  if (!grows && wordCount(repeated) < (overlapping ? 1 : 2)) return undefined
  return {
    fresh: behindWords(cue.text, shared),
    sure: isSure(repeated, grows ? 0 : 4),
    counts: grows || wordCount(repeated) >= 3
  }
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

/** A word; in scripts without spaces, a character. */
const word = new RegExp(`${unspaced}\\p{M}*|(?:(?!${unspaced})[\\p{L}\\p{M}\\p{N}])+`, "gu")

const wordsOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(word), ([written]) => written.normalize("NFKC").toLowerCase())

/** Counts how many of the earlier words at the end are the first words now. Examines a bounded number of words. */
const overlapOf = (then: ReadonlyArray<string>, now: ReadonlyArray<string>): number => {
  const most = Math.min(then.length, now.length)
  for (let count = most; count > 0; count = Math.min(count - 1, 100))
    if (then.slice(-count).every((word, i) => word === now[i])) return count
  return 0
}

/** Returns the text after its first words. */
const behindWords = (text: string, count: number): string => {
  const last = Array.from(text.matchAll(word))[count - 1]
  return last === undefined
    ? ""
    : text.slice(last.index + last[0].length).replace(/^[\p{P}\s]+(?=[\p{L}\p{N}])/u, "")
}
