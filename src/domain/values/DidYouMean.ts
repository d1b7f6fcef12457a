/** "Did you mean" suggestions for mistyped names. */
import { distance } from "fastest-levenshtein"

/**
 * Returns the known name nearest to a mistyped one, ignoring case. Undefined if more than a third of its letters and
 * more than two are wrong, or if all are.
 */
export const nearestName = (typed: string, known: ReadonlyArray<string>): string | undefined => {
  const [best] = known
    .map((name) => ({ name, away: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
  const most = Math.min(typed.length - 1, Math.max(2, Math.floor(typed.length / 3)))
  return best !== undefined && best.away <= most ? best.name : undefined
}
