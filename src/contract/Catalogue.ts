/** Providers, models and voices as the service lists them. */
import { Schema } from "effect"

/** A control's range and its default, on a provider that has it. */
export const ControlInfo = Schema.Struct({ min: Schema.Number, max: Schema.Number, default: Schema.Number })

/** What a provider can do; the truth by which tasks are checked. */
export const ProviderFeatures = Schema.Struct({
  /** Which flag of a task asks for a transcript, if any. */
  transcript: Schema.Literal("none", "with_transcript", "export_srt"),
  /** Whether the text may be an SRT, spoken on its own timeline. */
  srt_input: Schema.Boolean,
  /** Least characters of a normal text, in Unicode code points. */
  min_characters: Schema.NonNegativeInt,
  /** Most characters of a text, in Unicode code points. */
  max_characters: Schema.Int,
  controls: Schema.Struct({
    speed: Schema.optional(ControlInfo),
    vol: Schema.optional(ControlInfo),
    pitch: Schema.optional(ControlInfo)
  })
})
export type ProviderFeatures = typeof ProviderFeatures.Type

/** One provider. */
export const Provider = Schema.Struct({
  provider: Schema.String,
  name: Schema.String,
  description: Schema.String,
  /** Whether its engine is ready now. */
  available: Schema.Boolean,
  default_model_id: Schema.String,
  features: ProviderFeatures
}).annotations({ identifier: "Provider" })
export type Provider = typeof Provider.Type

/** GET /v1/providers. */
export const ProviderList = Schema.Struct({ providers: Schema.Array(Provider) }).annotations({
  identifier: "ProviderList"
})

/** One model. */
export const Model = Schema.Struct({
  model_id: Schema.String,
  name: Schema.String,
  provider: Schema.String,
  description: Schema.String,
  languages: Schema.Array(Schema.String),
  /** Credits for one character. */
  credits_per_character: Schema.Number
}).annotations({ identifier: "Model" })
export type Model = typeof Model.Type

/** GET /v1/models. */
export const ModelList = Schema.Struct({ models: Schema.Array(Model) }).annotations({
  identifier: "ModelList"
})

/** One voice. */
export const Voice = Schema.Struct({
  voice_id: Schema.String,
  name: Schema.String,
  provider: Schema.String,
  languages: Schema.Array(Schema.String),
  gender: Schema.optional(Schema.Literal("female", "male", "neutral")),
  description: Schema.String
}).annotations({ identifier: "Voice" })
export type Voice = typeof Voice.Type

/** GET /v1/voices: one page. */
export const VoicePage = Schema.Struct({
  voices: Schema.Array(Voice),
  /** From 1. */
  page: Schema.Int,
  limit: Schema.Int,
  /** All voices that match, over all pages. */
  total: Schema.Int,
  has_more: Schema.Boolean
}).annotations({ identifier: "VoicePage" })
