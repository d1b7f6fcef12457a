/** Section of a programme: rendered on its own, on any thread, with the same bits as in a render of the whole. */

/**
 * Positions are frames at the programme's rate. All but the programme's end are at whole seconds, so they are whole
 * frames at every rate.
 */
export interface Section {
  /** Where rendering begins: early enough that filters have settled at `from`. */
  readonly begin: number
  /** Its first frame. */
  readonly from: number
  /** Frame after the last one. */
  readonly to: number
  /** Where rendering ends: late enough for every filter's look-ahead. */
  readonly end: number
}

/**
 * Run-in before a section, in seconds: the limiter forgets a peak within 0.6 s, the loudness meter's filters sooner.
 */
const runIn = 1

/** Run-out after a section, in seconds: the limiter looks ahead by 5 ms, filters by a few milliseconds. */
const runOut = 0.05

/** Splits a programme of `length` frames into sections of `seconds` each. */
export const sectionsOf = (length: number, rate: number, seconds: number): ReadonlyArray<Section> =>
  Array.from({ length: Math.max(1, Math.ceil(length / (seconds * rate))) }, (_, at) =>
    sectionAt(at * seconds, seconds, length, rate)
  )

/** Returns the section of a programme of `length` frames that begins at a whole second and lasts `seconds`. */
export const sectionAt = (start: number, seconds: number, length: number, rate: number): Section => {
  const from = start * rate
  return sectionBetween(from, Math.min(length, from + seconds * rate), length, rate)
}

/** Returns the section between two frames of a programme of `length` frames. */
export const sectionBetween = (from: number, to: number, length: number, rate: number): Section => ({
  begin: Math.max(0, from - runIn * rate),
  from,
  to,
  end: Math.min(length, to + Math.round(runOut * rate))
})
