/** What was probably meant by a name that is none. */
import { distance } from "fastest-levenshtein"

/**
 * The known name that is nearest to a mistyped one, whatever its case; undefined where more than a third of its
 * letters, and more than two, would be wrong, or all of them.
 */
export const nearestName = (typed: string, known: ReadonlyArray<string>): string | undefined => {
  const [best] = known
    .map((name) => ({ name, away: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
  const most = Math.min(typed.length - 1, Math.max(2, Math.floor(typed.length / 3)))
  return best !== undefined && best.away <= most ? best.name : undefined
}
