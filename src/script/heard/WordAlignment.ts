/** Aligns the words of a text with the words that a recogniser heard: edit distance over words, with similar words. */
import { distance } from "fastest-levenshtein"
import type { ComparableWord } from "./ComparableWords.ts"

/** One step of an alignment. Ranges are half-open positions among the asked and the heard words. */
export interface AlignmentStep {
  /** `other`: a word was heard in place of an unlike one. */
  readonly kind: "same" | "similar" | "other" | "missing" | "invented"
  readonly asked: readonly [from: number, to: number]
  readonly heard: readonly [from: number, to: number]
  /** How alike the words are, from 0 to 1. */
  readonly likeness: number
}

/** Words at least this much alike count as one misheard. */
const similar = 0.5
/** Words joined or split ("ice cream", "icecream") must be at least this much alike. */
const similarJoined = 0.75

/**
 * A missing word costs 1, and so does an invented one. An unlike word costs less than the two together: a recogniser
 * mishears more often than a voice replaces words.
 */
const costOf = (likeness: number): number => (likeness === 1 ? 0 : 1.55 - 1.35 * likeness)
const joinedCost = 0.1

/** Returns how alike two words are, from 0 to 1: 1 minus their edit distance over the longer one's length. */
export const likenessOf = (one: string, other: string): number =>
  one === other ? 1 : 1 - distance(one, other) / Math.max(1, one.length, other.length)

/** Aligns two lists of words; returns the steps in order. Time and memory grow with the product of their lengths. */
export const alignWords = (
  asked: ReadonlyArray<ComparableWord>,
  heard: ReadonlyArray<ComparableWord>
): ReadonlyArray<AlignmentStep> => {
  const [n, m] = [asked.length, heard.length]
  const width = m + 1
  const costs = new Float64Array((n + 1) * width).fill(Infinity)
  const moves = new Uint8Array((n + 1) * width)
  costs[0] = 0
  for (let i = 0; i <= n; i++) {
    for (let j = 0; j <= m; j++) {
      const cost = costs[i * width + j] ?? Infinity
      for (const [move, { down, right }] of shapes.entries()) {
        if (i + down > n || j + right > m) continue
        const step = stepCost(asked, heard, i, j, down, right)
        const at = (i + down) * width + j + right
        // Of equal costs, the first move found is kept.
        if (cost + step < (costs[at] ?? Infinity) - 1e-9) {
          costs[at] = cost + step
          moves[at] = move
        }
      }
    }
  }
  const steps: Array<AlignmentStep> = []
  for (let i = n, j = m; i > 0 || j > 0;) {
    const { down, right } = shapes[moves[i * width + j] ?? 0] ?? { down: 1, right: 1 }
    steps.push(stepOf(asked, heard, i - down, j - right, down, right))
    i -= down
    j -= right
  }
  return steps.reverse()
}

/** The moves: how many asked and heard words a step takes. */
const shapes = [
  { down: 1, right: 1 },
  { down: 1, right: 0 },
  { down: 0, right: 1 },
  { down: 2, right: 1 },
  { down: 1, right: 2 }
] as const

const joined = (words: ReadonlyArray<ComparableWord>, from: number, count: number): string =>
  count === 1
    ? (words[from]?.form ?? "")
    : words
        .slice(from, from + count)
        .map(({ form }) => form)
        .join("")

const stepLikeness = (
  asked: ReadonlyArray<ComparableWord>,
  heard: ReadonlyArray<ComparableWord>,
  i: number,
  j: number,
  down: number,
  right: number
): number => likenessOf(joined(asked, i, down), joined(heard, j, right))

const stepCost = (
  asked: ReadonlyArray<ComparableWord>,
  heard: ReadonlyArray<ComparableWord>,
  i: number,
  j: number,
  down: number,
  right: number
): number => {
  if (down === 0 || right === 0) return 1
  if (down + right > 2 && (asked[i]?.unspaced === true || heard[j]?.unspaced === true)) return Infinity
  const likeness = stepLikeness(asked, heard, i, j, down, right)
  if (down + right === 2) return costOf(likeness)
  if (likeness < similarJoined) return Infinity
  // A recogniser does not hear "little" as "a little": the other word was added.
  const alone = Math.max(
    stepLikeness(asked, heard, i, j, 1, 1),
    stepLikeness(asked, heard, i + down - 1, j + right - 1, 1, 1)
  )
  return likeness <= alone ? Infinity : joinedCost + costOf(likeness)
}

const stepOf = (
  asked: ReadonlyArray<ComparableWord>,
  heard: ReadonlyArray<ComparableWord>,
  i: number,
  j: number,
  down: number,
  right: number
): AlignmentStep => {
  const ranges = { asked: [i, i + down] as const, heard: [j, j + right] as const }
  if (right === 0) return { kind: "missing", ...ranges, likeness: 0 }
  if (down === 0) return { kind: "invented", ...ranges, likeness: 0 }
  const likeness = stepLikeness(asked, heard, i, j, down, right)
  return { kind: likeness === 1 ? "same" : likeness >= similar ? "similar" : "other", ...ranges, likeness }
}
