/**
 * Removes repeats from captions, so that each text is spoken once, when it first appears. Roll-up captions move the
 * last line, or the last words, up and add some; growing captions add words; others show one text over several cues.
 */
import { naturalLength } from "../language/SpeechRate.ts"
import { unspaced, wordCount, wordsOnly, isPronounceable } from "../language/WritingSystems.ts"

/** The fields of a cue that are compared; times in milliseconds. */
interface Shown {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly speaker: string | undefined
  readonly style: string | undefined
}

/** Longest gap in milliseconds between cues that count as one continuous display. */
const seamless = 120

/** Longest gap between roll-up captions, and the fewest words repeated after one: speakers repeat themselves, too. */
const pause = 1000
const fewestAfterPause = 3

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
  if (before === undefined || cue.start > before.end + pause || cue.start < before.start) return undefined
  const repeat = cue.speaker === before.speaker ? repeatIn(cue, before) : undefined
  if (repeat === undefined || cue.start <= before.end + seamless) return repeat
  const count = wordCount(cue.text) - wordCount(repeat.fresh)
  return repeat.counts && count >= fewestAfterPause ? { ...repeat, sure: false } : undefined
}

const repeatIn = (cue: Shown, before: Shown): Repeat | undefined => {
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
    counts: grows || wordCount(repeated) >= (overlapping ? 2 : 3)
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

/** Longest frame of an animation, and longest gap between two frames, in milliseconds. Nobody could read it. */
const frame = 250

/** Longest picture of a film in milliseconds. */
const picture = 84

/** Number of frames from which a text that grows or shrinks is an animation. */
const enoughFrames = 3

const isFrame = ({ start, end }: Shown): boolean => end > start && end - start <= frame

/** Whether a text is shown too briefly to be said: one of several cues that highlight its words in turn. */
const isGlimpse = (cue: Shown): boolean =>
  isFrame(cue) || (wordCount(cue.text) > 1 && cue.end - cue.start < naturalLength(wordsOnly(cue.text)) * 0.45)

/** One text on the screen, and the cues that show it. */
interface Display {
  readonly cues: Array<number>
  text: string
  letters: string
  frames: number
  changes: boolean
  /** Whether its cues overlap or are frames, not only too brief. */
  sure: boolean
  last: Shown
  end: number
}

/**
 * Merges animated captions: a text that is drawn on several layers, frame by frame, letter by letter or as if typed.
 * Its first cue gets the whole text, and its whole time if the cue is a frame; the others get none.
 */
const withoutAnimation = (cues: ReadonlyArray<Shown>): ReadonlyArray<Shown> => {
  if (isWordByWord(cues)) return cues
  const merged = joinedLetters(cues)
  const displays: Array<Display> = []
  const latest = new Map<string, Display>()
  let moving: ReadonlyArray<Display> = []
  merged.forEach((cue, at) => {
    const letters = wordsOnly(cue.text).replaceAll(" ", "")
    if (letters === "") return
    const key = `${cue.speaker ?? ""}\n${letters}`
    moving = moving.filter(({ end }) => cue.start <= end + frame).slice(-20)
    const same = latest.get(key)
    const isSame = same !== undefined && isStill(same, cue)
    let display =
      isSame || (same !== undefined && isHighlighted(same, cue))
        ? same
        : moving.find((one) => isMoving(one, cue, letters))
    if (display === undefined) {
      const { text, end } = cue
      display = { cues: [], text, letters, frames: 0, changes: false, sure: false, last: cue, end }
      displays.push(display)
      if (isFrame(cue)) moving = [...moving, display]
    }
    display.cues.push(at)
    display.changes ||= display.letters !== letters
    display.sure ||= isSame
    if (letters.length > display.letters.length) Object.assign(display, { text: cue.text, letters })
    if (isFrame(cue)) display.frames++
    display.last = cue
    display.end = Math.max(display.end, cue.end)
    latest.set(key, display)
  })
  // Two brief cues may be a sentence that is said twice.
  const isHabit = displays.some(({ sure, cues: members }) => !sure && members.length >= enoughFrames)
  for (const { cues: members, text, frames, changes, sure, end } of displays)
    if (changes ? frames >= enoughFrames : sure || isHabit) merge(merged, members, text, end)
  return merged
}

/** Whether most cues show one word after another, as recognizers write them: a word may be said twice. */
const isWordByWord = (cues: ReadonlyArray<Shown>): boolean => {
  const words = cues.filter((cue, at) => {
    const next = cues[at + 1]
    const [letters, following] = [cue, next].map((shown) => wordsOnly(shown?.text ?? ""))
    if (next === undefined || letters === undefined || following === undefined) return false
    const isWord = /^\S*\p{L}\S*$/u.test(cue.text) && cue.end - cue.start > picture
    return isWord && next.start >= cue.end && !following.startsWith(letters)
  })
  return words.length * 2 > cues.length
}

/** Gives all of a text to the first of its cues. */
const merge = (
  cues: Array<Shown>,
  [first = 0, ...others]: ReadonlyArray<number>,
  text: string,
  end: number
): void => {
  const cue = cues[first]
  if (cue === undefined || others.length === 0) return
  cues[first] = { ...cue, text, end: isGlimpse(cue) ? end : cue.end }
  for (const at of others) Object.assign(cues, { [at]: { ...cue, ...cues[at], text: "" } })
}

/** Whether a cue shows a display's text on: at the same time, or as one of its frames. */
const isStill = ({ last, end }: Display, cue: Shown): boolean =>
  cue.start < end || cue.start === last.start || ((isFrame(last) || isFrame(cue)) && cue.start <= end + frame)

/** Whether a cue shows a display's text with another word highlighted. */
const isHighlighted = ({ cues, last, end }: Display, cue: Shown): boolean =>
  isGlimpse(last) && (cues.length > 1 || isGlimpse(cue)) && cue.start <= end + frame

/** Whether a cue goes on with a text that is typed, or taken away, letter by letter. */
const isMoving = (display: Display, cue: Shown, letters: string): boolean =>
  display.last.speaker === cue.speaker &&
  display.last.style === cue.style &&
  (display.frames === display.cues.length || (isFrame(cue) && display.frames >= enoughFrames)) &&
  (letters.startsWith(display.letters) ||
    (isFrame(cue) && (display.letters.startsWith(letters) || isCounted(display.letters, letters))))

/** Whether two texts differ by their numbers only, as those of a counter do. */
const isCounted = (before: string, now: string): boolean =>
  /\d/u.test(now) && before.replace(/\d+/gu, "#") === now.replace(/\d+/gu, "#")

/** Letters that are cues of their own. */
interface Spelling {
  readonly cues: Array<number>
  letters: string
  end: number
}

/** Number of letters from which a spelling is one text. */
const enoughLetters = 3

/** Joins letters that are on the screen together. A cue without text is a space. */
const joinedLetters = (cues: ReadonlyArray<Shown>): Array<Shown> => {
  const joined = [...cues]
  const spellings: Array<Spelling> = []
  const open = new Map<string, Spelling>()
  cues.forEach((cue, at) => {
    const letter = cue.text.trim()
    if (!/^(?:\P{M}\p{M}*)?$/u.test(letter)) return
    const key = `${cue.speaker ?? ""}\n${cue.style ?? ""}`
    const spelling = open.get(key)
    if (spelling !== undefined && spelling.cues.length < 200 && cue.start < spelling.end) {
      spelling.cues.push(at)
      spelling.letters += letter === "" ? " " : letter
      spelling.end = Math.max(spelling.end, cue.end)
    } else if (isPronounceable(letter)) {
      const made = { cues: [at], letters: letter, end: cue.end }
      spellings.push(made)
      open.set(key, made)
    }
  })
  for (const { cues: members, letters, end } of spellings)
    if ((letters.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= enoughLetters)
      merge(joined, members, onceEach(letters), end)
  return joined
}

/** Returns letters without the repeats of further layers: HARHAR, HHAARR or HHHAAARRR. */
const onceEach = (letters: string): string =>
  letters
    .trim()
    .replace(/^(.{3,}?)(?: ?\1)+$/u, "$1")
    .replace(/^(?:(.)\1\1)+$/u, (all) => all.replace(/(.)\1\1/gu, "$1"))
    .replace(/^(?:(.)\1)+$/u, (all) => all.replace(/(.)\1/gu, "$1"))
