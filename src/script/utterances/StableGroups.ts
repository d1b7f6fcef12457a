/**
 * Groups adjacent items by content-defined chunking: a hash of an item's words, never its number or position, decides
 * whether a group may end after it. So an edit changes its own group and no other.
 */
import type { NonEmptyArray, NonEmptyReadonlyArray } from "effect/Array"

/** A uniformly distributed 32-bit hash of a text (FNV-1a with a final mix). */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  return (hash ^ (hash >>> 16)) >>> 0
}

/** An item to group. */
export interface Grain {
  /** The words that are hashed. */
  readonly said: string
  /** Its size, in characters. */
  readonly size: number
}

/** Limits of a group. */
export interface GroupLimits {
  readonly maxSize: number
  readonly maxCount: number
  /** Mean group length before limits: by its hash, one in `every` items ends a group. */
  readonly every: number
}

/**
 * Forms groups of at most `maxSize` and `maxCount`; a single item may exceed `maxSize`. Runs that are too long are cut
 * after the item with the lowest hash.
 */
export const groupsOf = <G extends Grain>(
  grains: ReadonlyArray<G>,
  limits: GroupLimits
): ReadonlyArray<NonEmptyReadonlyArray<G>> => {
  const groups: Array<NonEmptyReadonlyArray<G>> = []
  let open: Array<G> = []
  for (const grain of grains) {
    open.push(grain)
    if (hashOf(grain.said) % limits.every === 0) {
      cutRun(open, limits, groups)
      open = []
    }
  }
  cutRun(open, limits, groups)
  return groups
}

const cutRun = <G extends Grain>(
  run: ReadonlyArray<G>,
  limits: GroupLimits,
  groups: Array<NonEmptyReadonlyArray<G>>
): void => {
  const [first, ...others] = run
  if (first === undefined) return
  const size = run.reduce((sum, grain) => sum + grain.size, 0)
  if (others.length === 0 || (run.length <= limits.maxCount && size <= limits.maxSize)) {
    groups.push([first, ...others])
    return
  }
  const middle = (run.length - 2) / 2
  let cut = 0
  for (let i = 1; i < run.length - 1; i++) {
    const stronger = hashOf(run[i]?.said ?? "") - hashOf(run[cut]?.said ?? "")
    if (stronger < 0 || (stronger === 0 && Math.abs(i - middle) < Math.abs(cut - middle))) cut = i
  }
  cutRun(run.slice(0, cut + 1), limits, groups)
  cutRun(run.slice(cut + 1), limits, groups)
}

/**
 * Merges adjacent items into groups of at least `minSize` where possible. Boundaries after the highest hashes are
 * merged first, and only if one side is too small. A group that stays too small fits with neither neighbour. `joint` is
 * the size of the separator between two items.
 */
export const mergedGroups = <G extends Grain>(
  grains: ReadonlyArray<G>,
  limits: { readonly minSize: number; readonly maxSize: number; readonly joint: number }
): ReadonlyArray<NonEmptyArray<G>> => {
  const owner = grains.map((_, i) => i)
  const size = grains.map((grain) => grain.size)
  const find = (i: number): number => {
    let root = i
    while (owner[root] !== root) root = owner[root] ?? root
    let at = i
    while (owner[at] !== root) {
      const next = owner[at] ?? root
      owner[at] = root
      at = next
    }
    return root
  }
  const places = grains
    .slice(0, -1)
    .map((grain, i) => ({ i, hash: hashOf(grain.said) }))
    .sort((a, b) => b.hash - a.hash || a.i - b.i)
  for (const { i } of places) {
    const [left, right] = [find(i), find(i + 1)]
    const [before, behind] = [size[left] ?? 0, size[right] ?? 0]
    const together = before + behind + limits.joint
    if ((before < limits.minSize || behind < limits.minSize) && together <= limits.maxSize) {
      owner[right] = left
      size[left] = together
    }
  }
  const groups: Array<NonEmptyArray<G>> = []
  let last: number | undefined
  grains.forEach((grain, i) => {
    const root = find(i)
    if (root === last) groups.at(-1)?.push(grain)
    else groups.push([grain])
    last = root
  })
  return groups
}
