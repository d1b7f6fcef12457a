/** What a job's page tells its script: the cues' times, and the waveform. */

/** A cue as the script knows it; times in seconds on the source's timeline. */
export interface PageCue {
  /** Its number in the source. */
  readonly index: number
  readonly start: number
  readonly end: number
  /** When it is heard in the result; absent where it is not. */
  readonly heard?: readonly [start: number, end: number]
  /** Whether somebody should look at it, and whether it failed. */
  readonly mark: "none" | "flagged" | "failed"
}

/** All that the script is told; cues in the source's order. */
export interface PageData {
  /** The result's length in seconds. */
  readonly duration: number
  /** Levels 0 to 255 of the waveform at even distances, as base64. */
  readonly peaks: string
  readonly cues: ReadonlyArray<PageCue>
}
