/** Factors between subtitles and films of different frame rates. */

/** Frames per second of films and television, as exact ratios. */
const frameRates = [24_000 / 1001, 24, 25, 30_000 / 1001, 30] as const

/**
 * The factors that correct a subtitle that was made for another frame rate than its film's: 1 first, then in ascending
 * order, each once.
 */
export const rateFactors: ReadonlyArray<number> = [
  1,
  ...[...new Set(frameRates.flatMap((made) => frameRates.map((film) => (made / film).toFixed(6))))]
    .map(Number)
    .filter((factor) => factor !== 1)
    .sort((a, b) => a - b)
    .map(exactly)
]

/** The exact factor that rounds to this one. */
function exactly(rounded: number): number {
  for (const made of frameRates)
    for (const film of frameRates) if (Math.abs(made / film - rounded) < 1e-6) return made / film
  return rounded
}
