/** Dynamic time warping: the cheapest way to stretch one sequence of vectors onto another. */

/** Vectors of `size` numbers each, one after the other. */
export interface Vectors {
  readonly size: number
  readonly values: Float32Array
}

/** A path from the beginning to the end of both sequences; both columns never decrease. */
export interface WarpPath {
  /** Mean distance of the vectors along the path. */
  readonly cost: number
  readonly ones: Int32Array
  readonly others: Int32Array
}

/** For each vector of one sequence, the range [from, to) of vectors of the other to which it may be aligned. */
export interface Corridor {
  readonly from: Int32Array
  readonly to: Int32Array
}

/** A corridor around the straight line between both ends; `reach` is the distance from it. */
export const diagonalCorridor = (one: number, other: number, reach: number): Corridor => {
  const centre = (row: number) => (one < 2 ? 0 : Math.round((row * (other - 1)) / (one - 1)))
  return corridorOf(one, other, (row) => {
    const [before, here, after] = [
      centre(Math.max(0, row - 1)),
      centre(row),
      centre(Math.min(one - 1, row + 1))
    ]
    return { from: Math.min(before, here) - reach, to: Math.max(here, after) + reach + 1 }
  })
}

/** A corridor around a path that was found at a resolution `factor` times lower. */
export const refinedCorridor = (
  { ones, others }: WarpPath,
  factor: number,
  one: number,
  other: number,
  reach: number
): Corridor => {
  const first = new Int32Array(one).fill(other)
  const last = new Int32Array(one).fill(-1)
  for (let k = 0; k < ones.length; k++)
    for (let row = ones[k]! * factor; row < Math.min(one, (ones[k]! + 1) * factor); row++) {
      first[row] = Math.min(first[row]!, others[k]! * factor)
      last[row] = Math.max(last[row]!, (others[k]! + 1) * factor)
    }
  return corridorOf(one, other, (row) => {
    const at = Math.min(row, Math.max(0, one - 1))
    const known = last[at]! >= 0 ? at : Math.max(0, (ones[ones.length - 1]! + 1) * factor - 1)
    return { from: first[known]! - reach, to: last[known]! + reach }
  })
}

/** Clamps a corridor, makes it contain both ends, and lets each row follow the one before. */
const corridorOf = (
  one: number,
  other: number,
  range: (row: number) => { readonly from: number; readonly to: number }
): Corridor => {
  const [from, to] = [new Int32Array(one), new Int32Array(one)]
  for (let row = 0; row < one; row++) {
    const wanted = range(row)
    from[row] =
      row === 0 ? 0 : Math.max(from[row - 1]!, Math.min(to[row - 1]!, other - 1, Math.max(0, wanted.from)))
    to[row] =
      row === one - 1
        ? other
        : Math.max(row === 0 ? 1 : to[row - 1]!, from[row]! + 1, Math.min(other, wanted.to))
  }
  return { from, to }
}

/** Finds the cheapest path inside a corridor. Neither sequence may be empty. */
export const warpPath = (one: Vectors, other: Vectors, { from, to }: Corridor): WarpPath => {
  const { size } = one
  const rows = from.length
  const starts = new Int32Array(rows + 1)
  for (let row = 0; row < rows; row++) starts[row + 1] = starts[row]! + to[row]! - from[row]!
  const steps = new Uint8Array(starts[rows]!)
  const width = other.values.length / size
  let before = new Float32Array(width).fill(Infinity)
  let now = new Float32Array(width).fill(Infinity)
  for (let row = 0; row < rows; row++) {
    now.fill(Infinity)
    const [first, last, base] = [from[row]!, to[row]!, starts[row]! - from[row]!]
    for (let column = first; column < last; column++) {
      let distance = 0
      for (let k = 0; k < size; k++) {
        const difference = one.values[row * size + k]! - other.values[column * size + k]!
        distance += difference * difference
      }
      distance = Math.sqrt(distance)
      const both = column > 0 ? before[column - 1]! : Infinity
      const down = before[column]!
      const across = column > first ? now[column - 1]! : Infinity
      if (row === 0 && column === 0) now[column] = distance
      else if (both <= down && both <= across) {
        now[column] = both + distance
        steps[base + column] = stepBoth
      } else if (down <= across) {
        now[column] = down + distance
        steps[base + column] = stepOne
      } else {
        now[column] = across + distance
        steps[base + column] = stepOther
      }
    }
    ;[before, now] = [now, before]
  }
  const total = before[width - 1]!
  const [ones, others] = [new Int32Array(rows + width), new Int32Array(rows + width)]
  let at = ones.length
  for (let row = rows - 1, column = width - 1; ;) {
    at--
    ones[at] = row
    others[at] = column
    if (row === 0 && column === 0) break
    const step = steps[starts[row]! + column - from[row]!]!
    if (step !== stepOther) row--
    if (step !== stepOne) column--
  }
  return { cost: total / (ones.length - at), ones: ones.slice(at), others: others.slice(at) }
}

const stepBoth = 0
const stepOne = 1
const stepOther = 2
