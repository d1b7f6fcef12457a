/** How a Retry-After header is read (RFC 9110, 10.2.3). */

/**
 * Seconds to wait by the header's words, which are seconds or a date; `now` is in milliseconds since 1970. NaN where
 * they say nothing.
 */
export const retryAfterIn = (header: string, now: number): number => {
  const stated = Number(header)
  return Number.isFinite(stated) ? stated : (Date.parse(header) - now) / 1000
}
