/** Forecasts how fast an edited line must play, from the pace of its voice. */

/** The properties of a line that the forecast uses. Times are in seconds. */
export interface LineRoom {
  readonly start: number
  readonly end: number
  /** How long its speech may go on after its end, up to the next line of the speaker. */
  readonly tail: number
  /** Milliseconds per character at speed 1. */
  readonly pace: number
  /** The speed at which to speak it. */
  readonly speed: number
  /** The speed above which a line counts as rushed. */
  readonly maxSpeed: number
}

/** The number of a line's characters, the number that fits, and its speed. */
export interface LineForecast {
  readonly characters: number
  /** Characters that fit at the maximum speed. */
  readonly fitting: number
  /** The speed at which the speech must play to end in time; 1 if there is time to spare. */
  readonly speed: number
  readonly fits: boolean
}

/** Counts the characters of a text as the service does: spaces count, runs of them once. */
export const countCharacters = (text: string): number => [...text.trim().replaceAll(/\s+/gu, " ")].length

/** Forecasts a line; undefined if its times leave no room. */
export const forecastLine = (text: string, room: LineRoom): LineForecast | undefined => {
  const { start, end, tail, pace, speed, maxSpeed } = room
  const available = (end + tail - start) * 1000
  const each = pace / speed
  if (!(available > 0) || !(each > 0)) return undefined
  const characters = countCharacters(text)
  const needed = (characters * each) / available
  return {
    characters,
    fitting: Math.floor((available * maxSpeed) / each),
    speed: Math.max(1, needed),
    fits: needed <= maxSpeed
  }
}
