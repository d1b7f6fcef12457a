/**
 * Schema of the overrides file: changes and approvals by a person in review. Every run applies it. Times are in
 * seconds.
 */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"
import { ModelId, ProviderId, VoiceId } from "../values/Ids.ts"
import { JobApprovals, SpeakerVoice } from "./ReviewDecisions.ts"
import { tonePattern } from "../values/Tone.ts"

/** A change to one cue. Absent keys keep the value from the script and the manifest. */
export const CueOverride = Schema.Struct({
  was: optional(
    Schema.String,
    "The cue's text when it was changed. The override is skipped if the script's text has changed since."
  ),
  say: optional(Schema.NonEmptyTrimmedString, "The words to say instead."),
  voice: optional(VoiceId, "The voice to use."),
  provider: optional(ProviderId, "The provider of that voice."),
  model: optional(ModelId, "The provider's model."),
  speed: optional(
    Schema.Positive,
    "Speaking rate; 1 is the voice's normal rate. Only for providers with a speed control."
  ),
  tone: optional(
    Schema.String.pipe(
      Schema.pattern(tonePattern, { message: () => "expected one or a few words, such as whispers" })
    ),
    "How to say the words, such as whispers. Only for providers whose tone is set."
  ),
  start: optional(Schema.NonNegative, "Where the speech should start, in seconds."),
  end: optional(Schema.NonNegative, "Where the speech should end at the latest, in seconds."),
  rewritten: optional(
    Schema.Literal(true),
    "A rewriter's proposal that the manifest accepts unseen. Delete this key once you have checked the text."
  ),
  shift: optional(Schema.Number, "Seconds to move this cue and all that follow."),
  split: optional(
    Schema.Array(
      Schema.Struct({
        say: described(Schema.NonEmptyTrimmedString, "The words of the piece."),
        start: optional(Schema.NonNegative, "Where it should start, in seconds."),
        end: optional(Schema.NonNegative, "The piece's latest end, in seconds.")
      })
    ),
    "Pieces of the cue that are lines of their own. Their names continue the cue's: 12.2, 12.3."
  ),
  takes: optional(
    Schema.Array(
      Schema.Struct({
        cue: described(Schema.NonNegativeInt, "The cue's number."),
        was: optional(
          Schema.String,
          "The cue's text when this was set. If the text has changed since, the override is skipped."
        )
      })
    ),
    "Other cues that are not spoken, because this line says their words, too."
  ),
  alone: optional(Schema.Literal(true), "Speak the cue in a task of its own, with its words unchanged.")
})
export type CueOverride = typeof CueOverride.Type

/** The overrides of one job, by cue: `12`, or `12.2` for the second speaker of cue 12. */
export const CueOverrides = Schema.Record({ key: Schema.String, value: CueOverride }).pipe(
  Schema.filter((changes) =>
    Object.keys(changes)
      .filter((name) => !/^\d+(?:\.[1-9]\d*)?$/u.test(name))
      .map((name) => ({
        path: [name],
        message: "expected a cue number such as 12, or 12.2 for its second speaker"
      }))
  )
)
export type CueOverrides = typeof CueOverrides.Type

/** The whole file: overrides by job. Null values are allowed: a person may delete a job's last entry by hand. */
export const OverridesFile = Schema.Struct({
  jobs: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.NullOr(CueOverrides) })),
  voices: optional(
    Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.Array(SpeakerVoice)) })),
    "Voices of speakers for all of their lines, by job."
  ),
  approved: optional(
    Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.NullOr(JobApprovals) })),
    "Who approved cues and jobs, by job."
  )
}).annotations({ identifier: "Overrides", title: "dubwright overrides" })
export type OverridesFile = typeof OverridesFile.Type

/** Returns the key of a line's override. `part` counts a cue's speakers from 0. */
export const overrideName = ({ cue, part }: { readonly cue: number; readonly part: number }): string =>
  part === 0 ? `${cue}` : `${cue}.${part + 1}`
