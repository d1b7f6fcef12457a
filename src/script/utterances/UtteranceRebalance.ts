/**
 * Redistributes the words of two adjacent units, if one is too small and both together are too large. Splits a line if
 * necessary.
 */
import { joinWords, jointsOf } from "./TextSplitting.ts"
import { separateUnits, type TextUnit, type UnitJoin } from "./TextUnits.ts"

interface Crumb {
  readonly portion: TextUnit
  readonly said: string
  /** How good a split after it is: 4 at the end of a line, else the rank of the joint (0–3). */
  readonly rank: number
}

/** Returns two units within the limits; undefined if that is impossible. */
export const rebalanceUtterances = (
  pair: readonly [UnitJoin, UnitJoin],
  limits: { readonly minSize: number; readonly maxSize: number; readonly joint: number },
  language: string | undefined
): ReadonlyArray<UnitJoin> | undefined => {
  const crumbs = pair.flatMap((unit) => unit.portions.flatMap((portion) => crumbsOf(portion, language)))
  let best: readonly [UnitJoin, UnitJoin] | undefined
  let least = Infinity
  for (let cut = 1; cut < crumbs.length; cut++) {
    const left = unitOfCrumbs(crumbs.slice(0, cut))
    const right = unitOfCrumbs(crumbs.slice(cut))
    if (left === undefined || right === undefined) continue
    if (Math.min(left.size, right.size) < limits.minSize || Math.max(left.size, right.size) > limits.maxSize)
      continue
    const cost =
      (4 - (crumbs[cut - 1]?.rank ?? 0)) * 0.2 + Math.abs(left.size - right.size) / (left.size + right.size)
    if (cost < least) {
      least = cost
      best = [left, right]
    }
  }
  return best
}

const crumbsOf = (portion: TextUnit, language: string | undefined): ReadonlyArray<Crumb> => {
  const crumbs: Array<Crumb> = []
  let from = 0
  for (const joint of jointsOf(portion.said, language)) {
    crumbs.push({ portion, said: portion.said.slice(from, joint.at).trim(), rank: joint.rank })
    from = joint.at
  }
  crumbs.push({ portion, said: portion.said.slice(from).trim(), rank: 4 })
  return crumbs
}

const unitOfCrumbs = (crumbs: ReadonlyArray<Crumb>): UnitJoin | undefined => {
  const portions: Array<TextUnit> = []
  for (const { portion, said } of crumbs) {
    const last = portions.at(-1)
    if (last !== undefined && last.order === portion.order)
      portions[portions.length - 1] = { ...last, said: joinWords(last.said, said) }
    else portions.push({ ...portion, said })
  }
  const [first, ...others] = portions
  return first === undefined ? undefined : separateUnits([first, ...others])
}
