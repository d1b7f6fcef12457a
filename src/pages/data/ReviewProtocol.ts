/** The JSON messages between the review page and its server. Times are in seconds. */

/** How a line should be spoken. */
export interface ReviewEdit {
  readonly say: string
  readonly provider: string
  readonly voice: string
  /** Absent if the provider has no speed control. */
  readonly speed?: number
  /** Absent in a narration: its lines have no times of their own. */
  readonly start?: number
  readonly end?: number
}

/** One speaker's part of a cue. */
export interface CuePart {
  /** `12`, or `12.2` for the second speaker in cue 12. */
  readonly name: string
  readonly speaker?: string
  /** As the script and the manifest define it. */
  readonly script: ReviewEdit
  /** With the overrides accepted so far. */
  readonly now: ReviewEdit
}

/** A voice that the batch uses. */
export interface KnownVoice {
  readonly provider: string
  readonly voice: string
  /** The range of speeds that its provider accepts; absent if it has no speed control. */
  readonly speeds?: { readonly min: number; readonly max: number }
}

/** The contents of the edit box for one cue. */
export interface ReviewedCue {
  readonly parts: ReadonlyArray<CuePart>
  readonly voices: ReadonlyArray<KnownVoice>
}

/** A new take, placed as it would be in the result. */
export interface Take {
  readonly start: number
  readonly end: number
  readonly speed: number
  /** Reasons for a person to check it. */
  readonly flags: ReadonlyArray<string>
  /** How many characters too long it is; absent if it fits. */
  readonly shortenBy?: number
  /** Other cues that would be spoken again with it, because their shared audio could not be split. */
  readonly besides: ReadonlyArray<string>
  /** A WAV file in base64. */
  readonly wav: string
}

/** Edits by line name. */
export type ReviewEdits = Readonly<Record<string, ReviewEdit>>

/** The delivery status of a job's accepted changes. */
export interface DeliveryStanding {
  readonly state: "delivering" | "delivered" | "failed"
  /** Number of deliveries of this job that have ended since the server started. */
  readonly ended: number
  /** Why it failed, or what it is waiting for. */
  readonly words?: string
}

/** The response to a request that failed. */
export interface ReviewError {
  readonly error: string
}
