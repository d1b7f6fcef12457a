/**
 * The level before a limiter at which a sound comes to its loudness behind it: what the limiter takes away grows with
 * the level, at first hardly, where all is peaks almost as fast as the level itself.
 */

/** A level in decibels, and the loudness that it came to in LUFS. */
interface Tried {
  readonly level: number
  readonly came: number
}

/**
 * The loudness by which a sound may miss, in LU: in general, and where more of it is to be had only by squashing its
 * peaks.
 */
const close = 0.1
export const audibleLoudness = 0.5

/** What a decibel more is thought to yield before two levels were tried, and what it is to yield at least, in LU. */
const firstYield = 0.8
const leastYield = 0.15

/** The longest step to where nothing was tried yet, in decibels: the yield may change on the way. */
const longestStep = 12

/** Looks for the level of a loudness; each level is tried by whoever asks. */
export class GainSearch {
  /** The next level to be tried, in decibels. */
  level: number
  private soft: Tried | undefined
  private loud: Tried | undefined
  private last: Tried | undefined

  /** `loudness` in LUFS; `level` is where to begin, and `highest` what no level that is tried passes, in decibels. */
  constructor(
    private readonly loudness: number,
    level: number,
    private readonly highest = Infinity
  ) {
    this.level = Math.min(level, highest)
  }

  /** Takes what the level came to; true if that is near enough, or too soft where no more is to be tried. */
  isFound(came: number): boolean {
    const { level, last, loudness, highest } = this
    const short = loudness - came
    if (level >= highest && short > 0) return true
    const yields = last === undefined ? firstYield : (came - last.came) / (level - last.level)
    if (Math.abs(short) <= close || (Math.abs(short) <= audibleLoudness && yields < leastYield)) return true
    this.last = { level, came }
    if (short > 0) this.soft = this.last
    else this.loud = this.last
    const step = short / Math.max(leastYield, yields)
    const next = this.between() ?? level + Math.max(-longestStep, Math.min(longestStep, step))
    this.level = Math.min(next, highest)
    return false
  }

  /** On the line from the last level that was too soft to the last that was too loud. */
  private between(): number | undefined {
    const { soft, loud, loudness } = this
    if (soft === undefined || loud === undefined || loud.came <= soft.came) return undefined
    return soft.level + ((loudness - soft.came) * (loud.level - soft.level)) / (loud.came - soft.came)
  }
}
