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
  const likenessAt = (i: number, j: number, { down, right }: Move): number =>
    likenessOf(joined(asked, i, down), joined(heard, j, right))

  const costAt = (i: number, j: number, move: Move): number => {
    const { down, right } = move
    if (down === 0 || right === 0) return 1
    if (down + right > 2 && (asked[i]?.unspaced === true || heard[j]?.unspaced === true)) return Infinity
    const likeness = likenessAt(i, j, move)
    if (down + right === 2) return costOf(likeness)
    if (likeness < similarJoined) return Infinity
    // A recogniser does not hear "little" as "a little": the other word was added.
    const alone = Math.max(likenessAt(i, j, single), likenessAt(i + down - 1, j + right - 1, single))
    return likeness <= alone ? Infinity : joinedCost + costOf(likeness)
  }

  costs[0] = 0
  for (let i = 0; i <= n; i++) {
    for (let j = 0; j <= m; j++) {
      const cost = costs[i * width + j] ?? Infinity
      for (const [at, move] of shapes.entries()) {
        if (i + move.down > n || j + move.right > m) continue
        const step = costAt(i, j, move)
        const to = (i + move.down) * width + j + move.right
        // Of equal costs, the first move found is kept.
        if (cost + step < (costs[to] ?? Infinity) - 1e-9) {
          costs[to] = cost + step
          moves[to] = at
        }
      }
    }
  }
  const steps: Array<AlignmentStep> = []
  for (let i = n, j = m; i > 0 || j > 0;) {
    const move = shapes[moves[i * width + j] ?? 0] ?? single
    const { down, right } = move
    i -= down
    j -= right
    const likeness = down === 0 || right === 0 ? 0 : likenessAt(i, j, move)
    const alike = likeness === 1 ? "same" : likeness >= similar ? "similar" : "other"
    const kind = right === 0 ? "missing" : down === 0 ? "invented" : alike
    steps.push({ kind, asked: [i, i + down], heard: [j, j + right], likeness })
  }
  return steps.reverse()
}

/** How many asked and heard words a step takes. */
interface Move {
  readonly down: number
  readonly right: number
}
const single: Move = { down: 1, right: 1 }
const shapes: ReadonlyArray<Move> = [
  single,
  { down: 1, right: 0 },
  { down: 0, right: 1 },
  { down: 2, right: 1 },
  { down: 1, right: 2 }
]

const joined = (words: ReadonlyArray<ComparableWord>, from: number, count: number): string =>
  count === 1
    ? (words[from]?.form ?? "")
    : words
        .slice(from, from + count)
        .map(({ form }) => form)
        .join("")
