/**
 * A section of a programme: made by itself, by whatever thread has time, and yet to the bit what it is as a part of the
 * whole.
 */

/**
 * Frames at the programme's rate. All but the programme's end are whole seconds, which are whole frames at every rate.
 */
export interface Section {
  /** Where its samples begin to be computed: so early that no filter can tell that there was nothing before. */
  readonly begin: number
  /** Its first frame. */
  readonly from: number
  /** Behind its last. */
  readonly to: number
  /** Where its samples end: so far behind that no filter looks beyond. */
  readonly end: number
}

/**
 * How early a section's samples begin, in seconds: the limiter forgets a peak within 0.6, the loudness meter's filters
 * sooner.
 */
const runIn = 1

/** How far they go on, in seconds: the limiter looks ahead for 5 ms, a filter for a few. */
const runOut = 0.05

/** A programme of `length` frames cut every so many seconds. */
export const sectionsOf = (length: number, rate: number, seconds: number): ReadonlyArray<Section> =>
  Array.from({ length: Math.max(1, Math.ceil(length / (seconds * rate))) }, (_, at) => {
    const from = at * seconds * rate
    const to = Math.min(length, from + seconds * rate)
    return {
      begin: Math.max(0, from - runIn * rate),
      from,
      to,
      end: Math.min(length, to + Math.round(runOut * rate))
    }
  })
