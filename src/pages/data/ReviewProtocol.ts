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
  /** Milliseconds per character of its present speech at speed 1; absent if it has none. */
  readonly pace?: number
  /** How long its speech may go on after its end, up to the speaker's next line; absent in a narration. */
  readonly tail?: number
}

/** A voice that the batch uses. */
export interface KnownVoice {
  readonly provider: string
  readonly voice: string
  /** The range of speeds that its provider accepts; absent if it has no speed control. */
  readonly speeds?: { readonly min: number; readonly max: number }
  /** Milliseconds per character at speed 1, over the job's lines; absent if it speaks none yet. */
  readonly pace?: number
}

/** The contents of the edit box for one cue. */
export interface ReviewedCue {
  readonly parts: ReadonlyArray<CuePart>
  /** Takes that were heard before, the oldest first. */
  readonly takes: ReadonlyArray<ReviewEdits>
  readonly voices: ReadonlyArray<KnownVoice>
  /** The job's speed limit. */
  readonly maxSpeed: number
}

/** A new take, placed as it would be in the result. */
export interface Take {
  readonly start: number
  readonly end: number
  readonly speed: number
  /** Reasons for a person to check it. */
  readonly flags: ReadonlyArray<string>
  /** Number of characters to cut; absent if it fits. */
  readonly shortenBy?: number
  /** Other cues that would be spoken again with it, because their shared audio could not be split. */
  readonly besides: ReadonlyArray<string>
  /** A WAV file in base64. */
  readonly wav: string
}

/**
 * The header of a preview's response: the second of the programme at which it begins. A preview is the mix around a
 * cue's last take, as a WAV file; there may be none (204).
 */
export const previewFrom = "x-preview-from"

/** Edits by line name. */
export type ReviewEdits = Readonly<Record<string, ReviewEdit>>

/** A job's speakers and the voices that it uses. */
export interface SpeakerSheet {
  readonly speakers: ReadonlyArray<{
    /** Empty for the lines without a speaker. */
    readonly speaker: string
    readonly lines: number
    readonly provider: string
    readonly voice: string
  }>
  readonly voices: ReadonlyArray<KnownVoice>
}

/** The price of another voice for a speaker. */
export interface SpeakerPrice {
  /** Number of lines whose voice changes. */
  readonly lines: number
  /** Clips that are stored already. */
  readonly kept: number
  readonly tasks: number
  readonly characters: number
  /** Absent if the service does not report its price. */
  readonly credits?: number
}

/** An approval, compared with the present delivery. */
export interface ShownApproval {
  readonly by: string
  /** ISO 8601, in UTC. */
  readonly at: string
  /** Words, voice or time have changed since. */
  readonly isStale?: true
}

/** The approvals of a job and of its cues. */
export interface ShownApprovals {
  readonly job?: ShownApproval
  readonly cues: Readonly<Record<string, ShownApproval>>
}

/** A request to approve cues or the whole job, or to withdraw the approval. */
export interface ApprovalRequest {
  readonly cues?: ReadonlyArray<number>
  readonly job?: true
  readonly approved: boolean
}

/** The delivery status of a job's accepted changes. */
export interface DeliveryStanding {
  readonly state: "delivering" | "delivered" | "failed"
  /** Number of deliveries of this job that have ended since the server started. */
  readonly ended: number
  /** How often the job's sound was replaced since the server started; absent in the response to a saved change. */
  readonly sounds?: number
  /** Whether there are changes to undo, or undone ones to redo; absent in the response to a saved change. */
  readonly canUndo?: boolean
  readonly canRedo?: boolean
  /** The job's approvals; only in responses to changes that may concern them. */
  readonly approvals?: ShownApprovals
  /** The reason for its failure or its wait. */
  readonly words?: string
}

/** The response to a request that failed. */
export interface ReviewError {
  readonly error: string
}
