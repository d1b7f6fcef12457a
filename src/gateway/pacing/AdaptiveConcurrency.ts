/**
 * How fast a provider is sent to, learned from what it bears: more at once while all goes well, half of it when it asks
 * to slow down; below one at a time, with pauses between starts.
 */

/** A pace. */
export interface AdaptiveConcurrency {
  /** Tasks in flight at once, from 1 to the most allowed; the whole part counts. */
  readonly window: number
  /** Milliseconds between two starts; above 0 only where the window is 1. */
  readonly gap: number
  /** When it was last slowed, in milliseconds: one burst of refusals counts once. */
  readonly slowedAt: number
}

/** The longest pause between two starts that a pace comes to. */
export const longestGap = 60_000

const shortestGap = 100

/** Refusals within so many milliseconds are one event. */
export const burst = 1_000

/** The pace to begin with: all that is allowed. */
export const fullConcurrency = (most: number): AdaptiveConcurrency => ({
  window: most,
  gap: 0,
  slowedAt: -Infinity
})

/** The pace after the service asked to slow down. */
export const decrease = (pace: AdaptiveConcurrency, now: number): AdaptiveConcurrency => {
  // A clock that was set back must not keep the pace from ever being slowed again.
  const since = now - pace.slowedAt
  if (since >= 0 && since < burst) return pace
  if (pace.window > 1) return { window: Math.max(1, pace.window / 2), gap: 0, slowedAt: now }
  return { window: 1, gap: Math.min(longestGap, Math.max(shortestGap, pace.gap * 2)), slowedAt: now }
}

/** The pace after a start that the service took. */
export const increase = (pace: AdaptiveConcurrency, most: number): AdaptiveConcurrency => {
  if (pace.gap > 0) {
    const gap = pace.gap * 0.9
    return { ...pace, gap: gap < shortestGap / 2 ? 0 : gap }
  }
  return pace.window >= most ? pace : { ...pace, window: Math.min(most, pace.window + 1 / pace.window) }
}
