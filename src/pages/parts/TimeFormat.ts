/** Formats times, durations, factors and counts for people. */

/** Formats a timeline position as `1:02:03.450`; hours are omitted when zero. */
export const formatClock = (seconds: number): string => {
  const millis = Math.round(Math.max(0, seconds) * 1000)
  const hours = Math.floor(millis / 3_600_000)
  const minutes = Math.floor(millis / 60_000) % 60
  const rest = `${((millis % 60_000) / 1000).toFixed(3).padStart(6, "0")}`
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${`${minutes}`.padStart(2, "0")}:${rest}`
}

/** Formats a duration in its two largest units: `2 h 5 min`, `12 min 4 s`, `3.2 s`. */
export const formatDuration = (seconds: number): string => {
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  const minutes = Math.round(whole / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Returns the labels at the start, quarters and end of an axis; in tenths of a second if it spans under a minute. */
export const axisTimes = (from: number, to: number): ReadonlyArray<string> =>
  [0, 1, 2, 3, 4].map((quarter) => {
    const seconds = from + ((to - from) * quarter) / 4
    return to - from < 60
      ? formatClock(Math.round(seconds * 10) / 10).slice(0, -2)
      : formatClock(Math.round(seconds)).replace(/\.\d+$/u, "")
  })

/** Formats a difference in seconds with its sign, as `+0.21 s`; without a sign if it rounds to 0.00. */
export const formatSignedSeconds = (seconds: number): string => {
  const text = Math.abs(seconds).toFixed(2)
  return `${text === "0.00" ? "" : seconds < 0 ? "−" : "+"}${text} s`
}

/** Formats a speed as a factor: `1.18×`. */
export const formatFactor = (speed: number): string => `${speed.toFixed(2)}×`

/** Formats a count with its noun: `1 cue`, `3 cues`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${formatInteger(count)} ${count === 1 ? one : many}`

/** Formats an integer with narrow no-break spaces between thousands. */
export const formatInteger = (count: number): string => `${count}`.replaceAll(/\B(?=(?:\d{3})+$)/gu, "\u202F")
