/**
 * Adaptive concurrency window per provider: halves when rate-limited, grows by one per round of accepted starts (AIMD).
 * If a window of 1 is still too fast, it adds gaps between starts.
 */

/** The state of the window. */
export interface AdaptiveConcurrency {
  /** Tasks in flight, from 1 to the configured limit. Only the integer part counts. */
  readonly window: number
  /** Minimum milliseconds between two starts. More than 0 only if the window is 1. */
  readonly gap: number
  /** When it was last decreased, in milliseconds. A burst of rejections decreases it only once. */
  readonly slowedAt: number
}

/** Maximum gap between two starts, in milliseconds. */
export const maxGap = 60_000

const shortestGap = 100

/** Rejections within this many milliseconds count as one. */
export const burst = 1_000

/** Returns the initial state: the configured limit, without gaps. */
export const fullConcurrency = (most: number): AdaptiveConcurrency => ({
  window: most,
  gap: 0,
  slowedAt: -Infinity
})

/** Returns the state after a rate-limited request. */
export const decrease = (pace: AdaptiveConcurrency, now: number): AdaptiveConcurrency => {
  // After the clock was set back, the window must still decrease.
  const since = now - pace.slowedAt
  if (since >= 0 && since < burst) return pace
  if (pace.window > 1) return { window: Math.max(1, pace.window / 2), gap: 0, slowedAt: now }
  return { window: 1, gap: Math.min(maxGap, Math.max(shortestGap, pace.gap * 2)), slowedAt: now }
}

/** Returns the state after a start that the service accepted. */
export const increase = (pace: AdaptiveConcurrency, most: number): AdaptiveConcurrency => {
  if (pace.gap > 0) {
    const gap = pace.gap * 0.9
    return { ...pace, gap: gap < shortestGap / 2 ? 0 : gap }
  }
  return pace.window >= most ? pace : { ...pace, window: Math.min(most, pace.window + 1 / pace.window) }
}
