/** Providers, models and voices as the service lists them. */
import { Schema } from "effect"

/** A control's range and its default, on a provider that has it. */
const ControlInfo = Schema.Struct({
  min: Schema.Number.annotations({ description: "The least value that is taken." }),
  max: Schema.Number.annotations({ description: "The greatest value that is taken." }),
  default: Schema.Number.annotations({ description: "The value of a task that names none." })
}).annotations({ identifier: "ControlInfo", description: "A control's range, both ends included." })

/** What a provider can do; the truth by which tasks are checked. */
export const ProviderFeatures = Schema.Struct({
  /** Which flags of a task request a transcript, if any. */
  transcript: Schema.Literal("none", "with_transcript", "export_srt").annotations({
    description:
      "Which flags of a task request a transcript: with_transcript, for SRT and JSON; export_srt, where export_srt requests an SRT alone and with_transcript SRT and JSON; none, where there are no transcripts."
  }),
  /** Whether the text may be an SRT, spoken on its own timeline. */
  srt_input: Schema.Boolean.annotations({
    description: "Whether the text may be an SRT, spoken on its own timeline."
  }),
  /** Least characters of a normal text, in Unicode code points. */
  min_characters: Schema.NonNegativeInt.annotations({
    description: "Least characters of a text, in Unicode code points; an SRT is exempt."
  }),
  /** Most characters of a text, in Unicode code points. */
  max_characters: Schema.Int.annotations({
    description: "Most characters of a text, in Unicode code points."
  }),
  /** A control that is absent here is refused in a task. */
  controls: Schema.Struct({
    speed: Schema.optional(ControlInfo),
    vol: Schema.optional(ControlInfo),
    pitch: Schema.optional(ControlInfo)
  }).annotations({ description: "The controls a task may set; one that is absent here is refused." })
}).annotations({
  identifier: "ProviderFeatures",
  description: "What a provider can do; the truth by which tasks are checked."
})
export type ProviderFeatures = typeof ProviderFeatures.Type

/** One provider. */
export const Provider = Schema.Struct({
  provider: Schema.String.annotations({ description: "The provider's id." }),
  name: Schema.String.annotations({ description: "What people read." }),
  description: Schema.String.annotations({ description: "Its character, in a sentence." }),
  /** Whether its engine is ready now. */
  available: Schema.Boolean.annotations({ description: "Whether its engine is ready now." }),
  default_model_id: Schema.String.annotations({ description: "The model of a task that names none." }),
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
  name: Schema.String.annotations({ description: "What people read." }),
  provider: Schema.String.annotations({ description: "The provider it belongs to." }),
  description: Schema.String.annotations({ description: "What it is for." }),
  languages: Schema.Array(Schema.String).annotations({ description: "Language tags (BCP 47) it speaks." }),
  /** Credits for one character. */
  credits_per_character: Schema.Number.annotations({
    description:
      "Credits for one character (Unicode code point) of a task's text; a task's sum is rounded up."
  })
}).annotations({ identifier: "Model" })
export type Model = typeof Model.Type

/** GET /v1/models. */
export const ModelList = Schema.Struct({ models: Schema.Array(Model) }).annotations({
  identifier: "ModelList"
})

/** One voice. */
export const Voice = Schema.Struct({
  voice_id: Schema.String.annotations({ description: "The voice's id, for the path of a task's creation." }),
  name: Schema.String.annotations({ description: "What people read." }),
  provider: Schema.String.annotations({ description: "The provider it belongs to." }),
  languages: Schema.Array(Schema.String).annotations({
    description: "Language tags (BCP 47) it speaks, its own first."
  }),
  gender: Schema.optional(Schema.Literal("female", "male", "neutral")),
  description: Schema.String.annotations({ description: "How it sounds, in a few words; may be empty." })
}).annotations({ identifier: "Voice" })
export type Voice = typeof Voice.Type

/** GET /v1/voices: one page. */
export const VoicePage = Schema.Struct({
  voices: Schema.Array(Voice),
  /** From 1. */
  page: Schema.Int.annotations({ description: "This page's number, from 1." }),
  limit: Schema.Int.annotations({ description: "The page size." }),
  /** All voices that match, over all pages. */
  total: Schema.Int.annotations({ description: "All voices that match, over all pages." }),
  has_more: Schema.Boolean.annotations({ description: "Whether there is a page after this one." })
}).annotations({ identifier: "VoicePage" })
