/** The JSON embedded in a job's report page for its script: its cues and the waveform. */

/** Why a cue was not spoken. */
export type SkipName =
  "empty" | "music" | "sound-effect" | "repeated" | "other-language" | "excluded" | "before-film" | "joined"

/** A cue of a report, as far as pages show it; `domain/report/Report.ts` describes the fields. */
export interface ReportedCue {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly text: string
  readonly speaker?: string | undefined
  readonly status: "spoken" | "skipped" | "failed"
  readonly skipped?: SkipName | undefined
  readonly error?: string | undefined
  readonly said?: string | undefined
  readonly placed?: { readonly start: number; readonly end: number; readonly speed: number } | undefined
  readonly wordStarts?: ReadonlyArray<number> | undefined
  readonly words?:
    | { readonly heard: string; readonly faults: ReadonlyArray<object> }
    | { readonly unheard: string }
    | undefined
  readonly flags: ReadonlyArray<string>
  readonly shortenBy?: number | undefined
  readonly rewrites?: ReadonlyArray<ReportedRewrite> | undefined
}

/** A rewriter's replies for a line that was too long. */
export interface ReportedRewrite {
  readonly proposal?: string | undefined
  readonly accepted?: string | undefined
  readonly why?: string | undefined
  readonly attempts: ReadonlyArray<{
    readonly limit: number
    readonly prompt: string
    readonly reply: string
    readonly refused?: string | undefined
  }>
}

/** A cue as the page's script sees it. Times are seconds on the source timeline. */
export interface PageCue {
  /** The cue's number in the source. */
  readonly index: number
  readonly start: number
  readonly end: number
  /** When it plays in the result; absent if it does not. */
  readonly heard?: readonly [start: number, end: number]
  /** When each of its words begins to be said, if known. */
  readonly wordStarts?: ReadonlyArray<number>
  /** `flagged`: a person should check it. `failed`: it could not be spoken. */
  readonly mark: "none" | "flagged" | "failed"
}

/** The data that the player draws and plays; cues are in source order. */
export interface PageData {
  /** The result's length in seconds. */
  readonly duration: number
  /** Waveform levels, one byte each (0–255), evenly spaced over the duration; base64. */
  readonly peaks: string
  readonly cues: ReadonlyArray<PageCue>
}

/** The embedded data. Cues are in source order, with their times in the film. */
export interface EmbeddedData extends Omit<PageData, "cues"> {
  readonly language?: string
  readonly cues: ReadonlyArray<ReportedCue>
}
