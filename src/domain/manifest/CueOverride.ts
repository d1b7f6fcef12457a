/**
 * What a person has changed about single cues, in a file beside the manifest that every run honours. Times are seconds,
 * as people write them.
 */
import { Schema } from "effect"
import { optional } from "./FieldDescription.ts"
import { ModelId, ProviderId, VoiceId } from "../values/Ids.ts"

/** A change to one cue; whatever is absent stays as the script and the manifest have it. */
export const CueOverride = Schema.Struct({
  was: optional(
    Schema.String,
    "The cue's text when it was changed: where the script says something else by now, the change is passed over."
  ),
  say: optional(Schema.NonEmptyTrimmedString, "What is said instead."),
  voice: optional(VoiceId, "The voice that says it."),
  provider: optional(ProviderId, "The provider of that voice."),
  model: optional(ModelId, "The provider's model."),
  speed: optional(
    Schema.Positive,
    "Speaking rate, 1 is the voice's own; for providers that have such a control."
  ),
  start: optional(Schema.NonNegative, "When it should be heard, in seconds."),
  end: optional(Schema.NonNegative, "By when it should have been heard, in seconds."),
  alone: optional(Schema.Literal(true), "Spoken by a task of its own, its words unchanged.")
})
export type CueOverride = typeof CueOverride.Type

/** The changes of one job by cue: `12`, or `12.2` for what the second speaker of cue 12 says. */
export const CueOverrides = Schema.Record({ key: Schema.String, value: CueOverride }).pipe(
  Schema.filter((changes) =>
    Object.keys(changes)
      .filter((name) => !/^\d+(?:\.[1-9]\d*)?$/u.test(name))
      .map((name) => ({
        path: [name],
        message: "expected a cue's number such as 12, or 12.2 for the second speaker in it"
      }))
  )
)
export type CueOverrides = typeof CueOverrides.Type

/**
 * The whole file: changes by job. A job whose last entry was deleted by hand may stand there with nothing behind it.
 */
export const OverridesFile = Schema.Struct({
  jobs: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.NullOr(CueOverrides) }))
}).annotations({ identifier: "Overrides", title: "dubwright overrides" })
export type OverridesFile = typeof OverridesFile.Type

/** The name under which a line's change is found: `part` counts the speakers of a cue from 0. */
export const overrideName = ({ cue, part }: { readonly cue: number; readonly part: number }): string =>
  part === 0 ? `${cue}` : `${cue}.${part + 1}`
