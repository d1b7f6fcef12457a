/** Parses the Retry-After header (RFC 9110, 10.2.3). */

/**
 * Returns the seconds to wait. The header is a number of seconds or a date; `now` is in milliseconds since 1970. NaN if
 * the header is neither.
 */
export const retryAfterIn = (header: string, now: number): number => {
  const stated = Number(header)
  // A number this large is a time in seconds since 1970, as in other headers of rate limits.
  if (stated > 1e9) return stated - now / 1000
  return Number.isFinite(stated) ? stated : (Date.parse(header) - now) / 1000
}
