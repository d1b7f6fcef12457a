/** Schemas of the decisions in the overrides file that concern more than one cue: approvals and speakers' voices. */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"
import { ModelId, ProviderId, SpeakerName, VoiceId } from "../values/Ids.ts"

/** The person who approved a cue or a job, and the time. */
export const Approval = Schema.Struct({
  by: described(Schema.NonEmptyTrimmedString, "Who approved it."),
  at: described(
    Schema.NonEmptyTrimmedString,
    "The time of the approval in UTC, such as 2026-03-02T22:00:03Z."
  ),
  of: described(
    Schema.NonEmptyTrimmedString,
    "Digest of the approved content. If words, voice or time have changed since, the approval is out of date."
  )
})
export type Approval = typeof Approval.Type

/** The approvals of one job. */
export const JobApprovals = Schema.Struct({
  job: optional(Approval, "The approval of the whole job."),
  cues: optional(
    Schema.Record({ key: Schema.String, value: Approval }),
    "The approvals of its cues, by number."
  )
})
export type JobApprovals = typeof JobApprovals.Type

/** Another voice for all lines of a speaker. */
export const SpeakerVoice = Schema.Struct({
  speaker: optional(SpeakerName, "The speaker. Absent: the lines without a speaker."),
  voice: described(VoiceId, "The voice to use."),
  provider: optional(ProviderId, "The provider of that voice."),
  model: optional(ModelId, "The provider's model.")
})
export type SpeakerVoice = typeof SpeakerVoice.Type
