/** What the review page and its server say to each other. Times are seconds. */

/** How a line is to be said. */
export interface ReviewEdit {
  readonly say: string
  readonly provider: string
  readonly voice: string
  /** Absent where the provider has no control of it. */
  readonly speed?: number
  /** Absent in a narration, whose lines have no times of their own. */
  readonly start?: number
  readonly end?: number
}

/** What one speaker says in a cue. */
export interface CuePart {
  /** `12`, or `12.2` for the second speaker in cue 12. */
  readonly name: string
  readonly speaker?: string
  /** As the script and the manifest have it. */
  readonly script: ReviewEdit
  /** As it stands, with the changes accepted so far. */
  readonly now: ReviewEdit
}

/** A voice that the batch knows. */
export interface KnownVoice {
  readonly provider: string
  readonly voice: string
  /** The speaking rates that its provider takes, where it takes any. */
  readonly speeds?: { readonly min: number; readonly max: number }
}

/** All that an edit box shows of a cue. */
export interface ReviewedCue {
  readonly parts: ReadonlyArray<CuePart>
  readonly voices: ReadonlyArray<KnownVoice>
}

/** A new take, as it would be heard in its place. */
export interface Take {
  readonly start: number
  readonly end: number
  readonly speed: number
  /** What a person should look at. */
  readonly flags: ReadonlyArray<string>
  /** Characters too many, where it does not fit. */
  readonly shortenBy?: number
  /** Other cues that would be spoken again with it, because they could not be told apart. */
  readonly besides: ReadonlyArray<string>
  /** A WAV file in base64. */
  readonly wav: string
}

/** Wishes by the names of their lines. */
export type ReviewEdits = Readonly<Record<string, ReviewEdit>>

/** How far the delivery of a job's accepted changes is. */
export interface DeliveryStanding {
  readonly state: "delivering" | "delivered" | "failed"
  /** How many deliveries of the job have ended since the server was started. */
  readonly ended: number
  /** Why it failed, or what it waits for. */
  readonly words?: string
}

/** What comes back where something could not be done. */
export interface ReviewError {
  readonly error: string
}
