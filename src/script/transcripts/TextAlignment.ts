/** Aligns two texts by edit distance, restricted to a band around the diagonal, and returns the path. */

/** Half the band's width in letters: a share of the longer text's length, within these bounds. */
const narrowest = 96
const share = 0.08
const widest = 600

/**
 * Returns for each position of `ours` the aligned position of `theirs`, ascending; -1 if it has no counterpart. Time
 * and memory are proportional to the length times the band's width.
 */
export const alignTexts = (ours: string, theirs: string): Int32Array => {
  const [n, m] = [ours.length, theirs.length]
  const pairs = new Int32Array(n).fill(-1)
  if (n === 0 || m === 0) return pairs
  const band = Math.min(widest, Math.max(narrowest, Math.round(Math.max(n, m) * share)))
  const width = 2 * band + 1
  const slope = m / n
  const from = (i: number): number => Math.round(i * slope) - band
  const steps = new Uint8Array((n + 1) * width)
  let before = new Float64Array(width).fill(Infinity)
  let now = new Float64Array(width).fill(Infinity)
  for (let i = 0; i <= n; i++) {
    const start = from(i)
    const shift = i === 0 ? 0 : start - from(i - 1)
    now.fill(Infinity)
    for (let k = 0; k < width; k++) {
      const j = start + k
      if (j < 0 || j > m) continue
      if (i === 0 && j === 0) {
        now[k] = 0
        continue
      }
      const beside =
        i > 0 && j > 0 ? (before[k + shift - 1] ?? Infinity) + cost(ours, i - 1, theirs, j - 1) : Infinity
      const alone = i > 0 ? (before[k + shift] ?? Infinity) + 1 : Infinity
      const added = j > 0 && k > 0 ? (now[k - 1] ?? Infinity) + 1 : Infinity
      const least = Math.min(beside, alone, added)
      now[k] = least
      steps[i * width + k] = least === beside ? step.beside : least === alone ? step.alone : step.added
    }
    ;[before, now] = [now, before]
  }
  let i = n
  let j = m
  while (i > 0 && j > 0) {
    const k = j - from(i)
    const reached = k < 0 || k >= width ? step.alone : (steps[i * width + k] ?? step.alone)
    if (reached === step.beside) {
      pairs[i - 1] = j - 1
      i--
      j--
    } else if (reached === step.alone) i--
    else j--
  }
  return pairs
}

/** How a cell of the table was reached: both letters aligned, one of `ours` skipped, or one of `theirs` skipped. */
const step = { beside: 1, alone: 2, added: 3 } as const

/** A substitution costs 1.6, a little less than a deletion plus an insertion (2). */
const cost = (ours: string, i: number, theirs: string, j: number): number =>
  ours.charCodeAt(i) === theirs.charCodeAt(j) ? 0 : 1.6
