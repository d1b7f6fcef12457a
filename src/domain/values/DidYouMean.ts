/** "Did you mean" suggestions for mistyped names. */
import { distance } from "fastest-levenshtein"

/**
 * Returns the known name nearest to a mistyped one, ignoring case. At most a third of the letters may be wrong, or two
 * if that is more, but never all of them; otherwise returns undefined.
 */
export const nearestName = (typed: string, known: ReadonlyArray<string>): string | undefined => {
  const [best] = known
    .map((name) => ({ name, away: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
  const most = Math.min(typed.length - 1, Math.max(2, Math.floor(typed.length / 3)))
  return best !== undefined && best.away <= most ? best.name : undefined
}
