/** The catalogue: providers, models and voices as the service lists them. */
import { Schema } from "effect"

/** The range and default of a control that a provider supports. */
const ControlInfo = Schema.Struct({
  min: Schema.Number.annotations({ description: "The minimum value." }),
  max: Schema.Number.annotations({ description: "The maximum value." }),
  default: Schema.Number.annotations({ description: "The value if a task sets none." })
}).annotations({ identifier: "ControlInfo", description: "A control's range, inclusive, and its default." })

/** A provider's features. The service rejects tasks that do not match them. */
export const ProviderFeatures = Schema.Struct({
  /** The task fields that request a transcript, if any. */
  transcript: Schema.Literal("none", "with_transcript", "export_srt").annotations({
    description:
      "Which transcripts a task can request. none: no transcripts. with_transcript: SRT and JSON, with the field with_transcript. export_srt: also SRT alone, with the field export_srt."
  }),
  /** Whether the text may be an SRT, spoken on its own timeline. */
  srt_input: Schema.Boolean.annotations({
    description: "Whether the text may be an SRT, spoken on its own timeline."
  }),
  /** Minimum characters of a plain text, in Unicode code points. */
  min_characters: Schema.NonNegativeInt.annotations({
    description: "Minimum characters of a text, in Unicode code points. SRT is exempt."
  }),
  /** Maximum characters of a text, in Unicode code points. */
  max_characters: Schema.Int.annotations({
    description: "Maximum characters of a text, in Unicode code points."
  }),
  /** A task that sets a control absent here is rejected. */
  controls: Schema.Struct({
    speed: Schema.optional(ControlInfo),
    vol: Schema.optional(ControlInfo),
    pitch: Schema.optional(ControlInfo)
  }).annotations({ description: "The controls that a task may set. A control absent here is rejected." })
}).annotations({
  identifier: "ProviderFeatures",
  description: "A provider's features. The service rejects tasks that do not match them."
})
export type ProviderFeatures = typeof ProviderFeatures.Type

/** One provider. */
export const Provider = Schema.Struct({
  provider: Schema.String.annotations({ description: "The provider's id." }),
  name: Schema.String.annotations({ description: "The display name." }),
  description: Schema.String.annotations({ description: "A description, in one sentence." }),
  /** Whether its engine is ready now. */
  available: Schema.Boolean.annotations({ description: "Whether its engine is ready now." }),
  default_model_id: Schema.String.annotations({ description: "The model if a task sets none." }),
  features: ProviderFeatures
}).annotations({ identifier: "Provider" })
export type Provider = typeof Provider.Type

/** GET /v1/providers. */
export const ProviderList = Schema.Struct({ providers: Schema.Array(Provider) }).annotations({
  identifier: "ProviderList"
})

/** One model. */
export const Model = Schema.Struct({
  model_id: Schema.String.annotations({ description: "The model's id, for a task's model_id." }),
  name: Schema.String.annotations({ description: "The display name." }),
  provider: Schema.String.annotations({ description: "Its provider." }),
  description: Schema.String.annotations({ description: "The model's purpose." }),
  languages: Schema.Array(Schema.String).annotations({
    description: "The languages it speaks, as BCP 47 tags."
  }),
  /** Credits per character. */
  credits_per_character: Schema.Number.annotations({
    description: "Credits per character (Unicode code point) of a task's text. A task's total is rounded up."
  })
}).annotations({ identifier: "Model" })
export type Model = typeof Model.Type

/** GET /v1/models. */
export const ModelList = Schema.Struct({ models: Schema.Array(Model) }).annotations({
  identifier: "ModelList"
})

/** One voice. */
export const Voice = Schema.Struct({
  voice_id: Schema.String.annotations({ description: "The voice's id, for the path of a create." }),
  name: Schema.String.annotations({ description: "The display name." }),
  provider: Schema.String.annotations({ description: "Its provider." }),
  languages: Schema.Array(Schema.String).annotations({
    description: "The languages it speaks, as BCP 47 tags, its native one first."
  }),
  gender: Schema.optional(Schema.Literal("female", "male", "neutral")),
  description: Schema.String.annotations({ description: "How it sounds, in a few words. May be empty." })
}).annotations({ identifier: "Voice" })
export type Voice = typeof Voice.Type

/** GET /v1/voices: one page. */
export const VoicePage = Schema.Struct({
  voices: Schema.Array(Voice),
  /** From 1. */
  page: Schema.Int.annotations({ description: "This page's number, from 1." }),
  limit: Schema.Int.annotations({ description: "The page size." }),
  /** Number of matching voices, over all pages. */
  total: Schema.Int.annotations({ description: "Number of matching voices, over all pages." }),
  has_more: Schema.Boolean.annotations({ description: "Whether another page follows." })
}).annotations({ identifier: "VoicePage" })
