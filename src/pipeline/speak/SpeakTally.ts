/**
 * Counts the finished work of a run's speaking. The run holds the counters, so that an interrupted one still counts in
 * run.json.
 */

/** Counters of a run. */
export interface Counts {
  /** Tasks created by this run. */
  created: number
  /** Tasks of an earlier run, found in the history. */
  adopted: number
  /** Known tasks of an earlier run whose audio this run has fetched. */
  resumed: number
  /** Utterances whose clips were already stored. */
  reused: number
  /** Retried creates, polls and fetches, and lost takes. */
  retried: number
  /** Utterances that are failed at the end of the run. */
  failed: number
  /** Utterances neither spoken nor failed; the next run continues with them. */
  left: number
  /** Clips that were kept although they look suspect. */
  suspect: number
  /** Characters of the created tasks. */
  characters: number
}

export class SpeakTally {
  readonly counts: Counts = {
    created: 0,
    adopted: 0,
    resumed: 0,
    reused: 0,
    retried: 0,
    failed: 0,
    left: 0,
    suspect: 0,
    characters: 0
  }
  readonly warnings = new Set<string>()
}
