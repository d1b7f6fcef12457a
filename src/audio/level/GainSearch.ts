/**
 * Gain search: finds the level before a limiter at which the limited sound has a target loudness. The more the level
 * rises, the more the limiter takes away: hardly anything at first, and in the end almost all of it.
 */

/** A level in decibels, and the resulting loudness in LUFS. */
interface Tried {
  readonly level: number
  readonly came: number
}

/** Tolerated deviation from the target loudness, in LU. */
const close = 0.1

/** The tolerance if a closer match would limit peaks too hard: the smallest audible difference, in LU. */
export const audibleLoudness = 0.5

/** Loudness gained per decibel of level, in LU: the assumption for the first step, and the lower bound. */
const firstYield = 0.8
const minYield = 0.15

/** Longest step beyond the levels already tried, in decibels; the yield may change on the way. */
const maxStep = 12

/** Searches for the level with a given loudness. The caller renders each level and passes its loudness to `isFound`. */
export class GainSearch {
  /** The next level to try, in decibels. */
  level: number
  private soft: Tried | undefined
  private loud: Tried | undefined
  private last: Tried | undefined

  /**
   * `loudness` is the target in LUFS, `level` the first level to try, `highest` the upper limit of levels, in decibels.
   */
  constructor(
    private readonly loudness: number,
    level: number,
    private readonly highest = Infinity
  ) {
    this.level = Math.min(level, highest)
  }

  /**
   * Takes the measured loudness of the current level. Returns true if it is close enough, or if it is too soft and no
   * higher level may be tried. Otherwise sets the next `level`.
   */
  isFound(came: number): boolean {
    const { level, last, loudness, highest } = this
    const short = loudness - came
    if (level >= highest && short > 0) return true
    const yields = last === undefined ? firstYield : (came - last.came) / (level - last.level)
    if (Math.abs(short) <= close || (Math.abs(short) <= audibleLoudness && yields < minYield)) return true
    this.last = { level, came }
    if (short > 0) this.soft = this.last
    else this.loud = this.last
    const step = short / Math.max(minYield, yields)
    const next = this.between() ?? level + Math.max(-maxStep, Math.min(maxStep, step))
    this.level = Math.min(next, highest)
    return false
  }

  /** Interpolates between the last level that was too soft and the last that was too loud. */
  private between(): number | undefined {
    const { soft, loud, loudness } = this
    if (soft === undefined || loud === undefined || loud.came <= soft.came) return undefined
    return soft.level + ((loudness - soft.came) * (loud.level - soft.level)) / (loud.came - soft.came)
  }
}
