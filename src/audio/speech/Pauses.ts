/** Pause matching: finds where parts of a text end in its speech, by aligning audible pauses with punctuation. */
import type { Envelope } from "./SpeechEnvelope.ts"
import type { Bounds, SpeechBounds } from "./SpeechTrim.ts"

/** Returns the stretches [from, to) of at least `shortest` steps at or below the threshold. */
export const pausesOf = (
  { levels }: Envelope,
  threshold: number,
  shortest: number
): ReadonlyArray<Bounds> => {
  const pauses: Array<Bounds> = []
  let from = 0
  for (let step = 0; step <= levels.length; step++) {
    if (step < levels.length && levels[step]! <= threshold) continue
    if (step - from >= shortest) pauses.push({ from, to: step })
    from = step + 1
  }
  return pauses
}

/**
 * Returns, for each part but the last, the step at which it ends: the middle of a pause. Undefined if any of them is
 * ambiguous.
 *
 * Audible pauses are aligned, in order, with the places where the text suggests one. A pause is likely near its share
 * of the speech. A full stop without a pause is unlikely, and so is a long pause without punctuation.
 */
export const endsByPauses = (
  { envelope, levels, bounds }: SpeechBounds,
  said: ReadonlyArray<string>
): ReadonlyArray<number> | undefined => {
  const from = bounds.from / envelope.hop
  const to = bounds.to / envelope.hop
  const pauses = pausesOf(envelope, levels.threshold, shortestPause).filter(
    (pause) => pause.from > from && pause.to < to
  )
  const { marks, total } = marksOf(said)
  const heard = spokenBefore(pauses, from, to)
  const doubt = doubtSteps + doubtShare * heard.total
  const matched = matchedPauses(
    marks.map((mark) => ({ ...mark, at: (mark.at / total) * heard.total })),
    pauses.map((pause, index) => ({ at: heard.at[index]!, length: pause.to - pause.from })),
    doubt
  )
  const ends: Array<number> = []
  for (const [index, mark] of marks.entries()) {
    if (!mark.ends) continue
    const pause = matched[index]
    if (pause === undefined) return undefined
    const place = (at: number) => (at / total) * heard.total
    const off = Math.abs(heard.at[pause]! - place(mark.at))
    // Without punctuation, any pause nearby might belong to another mark.
    const alone = marks.every(
      (other) => other === mark || Math.abs(place(other.at) - place(mark.at)) > 3 * doubt
    )
    if (off > 3 * doubt || (mark.expected === 0 && !(alone && off <= doubt))) return undefined
    ends.push(Math.round((pauses[pause]!.from + pauses[pause]!.to) / 2))
  }
  return ends
}

/** Shortest pause that cannot be a stop consonant's closure: 100 ms. */
const shortestPause = 20
/**
 * Typical difference between a position estimated from characters and the one in the speech: 60 ms plus 2.5 % of the
 * whole.
 */
const doubtSteps = 12
const doubtShare = 0.025

/** A place in the text where a pause may be audible. */
interface Mark {
  /** Weight of the text before it. */
  readonly at: number
  /** Cost if there is no pause here; higher where a pause is more certain. */
  readonly expected: number
  /** Whether a part ends here. */
  readonly ends: boolean
}

const sentenceEnd = /^[.!?…。！？؟।]/u
const clauseEnd = /^[,;:–—،؛，、；：]/u

/** Returns the marks of all parts, except for the end of the last, and the weight of the whole text. */
const marksOf = (
  said: ReadonlyArray<string>
): { readonly marks: ReadonlyArray<Mark>; readonly total: number } => {
  const marks: Array<Mark> = []
  let total = 0
  said.forEach((text, part) => {
    const characters = [...text]
    let expected = 0
    for (const [index, character] of characters.entries()) {
      const weight = weightOf(character)
      if (weight > 0) {
        // A point or comma inside a number or a word is not punctuation.
        if (expected > 0 && weightOf(characters[index - 1] ?? "") === 0)
          marks.push({ at: total, expected, ends: false })
        expected = 0
        total += weight
      } else if (sentenceEnd.test(character)) expected = 2
      else if (clauseEnd.test(character)) expected = Math.max(expected, 0.7)
      else if (expected > 0 && !/\s/u.test(character)) expected = Math.max(expected, 0.7)
    }
    if (part < said.length - 1) marks.push({ at: total, expected, ends: true })
  })
  return { marks, total: Math.max(1, total) }
}

/**
 * Returns the spoken duration of a character relative to a letter: digits are read as words, ideographs as syllables.
 */
const weightOf = (character: string): number =>
  /\p{Nd}/u.test(character)
    ? 4
    : /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character)
      ? 3
      : /\p{L}/u.test(character)
        ? 1
        : 0

/** Returns how much has been spoken before each pause, excluding pauses; and in total. */
const spokenBefore = (
  pauses: ReadonlyArray<Bounds>,
  from: number,
  to: number
): { readonly at: ReadonlyArray<number>; readonly total: number } => {
  let silent = 0
  const at = pauses.map((pause) => {
    const spoken = pause.from - from - silent
    silent += pause.to - pause.from
    return spoken
  })
  return { at, total: to - from - silent }
}

/** Returns, for each mark, the pause heard there, if any: the in-order assignment with the lowest cost. */
const matchedPauses = (
  marks: ReadonlyArray<Mark>,
  pauses: ReadonlyArray<{ readonly at: number; readonly length: number }>,
  doubt: number
): ReadonlyArray<number | undefined> => {
  const width = pauses.length + 1
  /** Lowest cost of the first m marks and the first p pauses, at m * width + p; and the step that led there. */
  const costs = new Float64Array((marks.length + 1) * width).fill(Infinity)
  const ways = new Uint8Array(costs.length)
  costs[0] = 0
  const offer = (to: number, cost: number, way: number) => {
    if (cost >= costs[to]!) return
    costs[to] = cost
    ways[to] = way
  }
  for (let m = 0; m <= marks.length; m++)
    for (let p = 0; p <= pauses.length; p++) {
      const cost = costs[m * width + p]!
      const mark = marks[m]
      const pause = pauses[p]
      if (mark !== undefined) offer((m + 1) * width + p, cost + mark.expected, skipMark)
      // 300 ms of silence without punctuation are as unlikely as a full stop without a pause.
      if (pause !== undefined) offer(m * width + p + 1, cost + Math.min(2, pause.length / 30), skipPause)
      if (mark !== undefined && pause !== undefined) {
        const unexpected = mark.expected === 0 ? 0.5 : 0
        offer((m + 1) * width + p + 1, cost + unexpected + ((mark.at - pause.at) / doubt) ** 2 / 4, match)
      }
    }
  const matched = new Array<number | undefined>(marks.length).fill(undefined)
  for (let m = marks.length, p = pauses.length; m > 0 || p > 0;) {
    const way = ways[m * width + p]
    if (way !== skipPause) m--
    if (way !== skipMark) p--
    if (way === match) matched[m] = p
  }
  return matched
}

const skipMark = 1
const skipPause = 2
const match = 3
