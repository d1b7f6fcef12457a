/** The JSON embedded in a job's report page for its script: cue times and the waveform. */

/** A cue as the page's script sees it. Times are seconds on the source timeline. */
export interface PageCue {
  /** The cue's number in the source. */
  readonly index: number
  readonly start: number
  readonly end: number
  /** When it plays in the result; absent if it does not. */
  readonly heard?: readonly [start: number, end: number]
  /** `flagged`: a person should check it. `failed`: it could not be spoken. */
  readonly mark: "none" | "flagged" | "failed"
}

/** The embedded data; cues are in source order. */
export interface PageData {
  /** The result's length in seconds. */
  readonly duration: number
  /** Waveform levels, one byte each (0–255), evenly spaced over the duration; base64. */
  readonly peaks: string
  readonly cues: ReadonlyArray<PageCue>
}
