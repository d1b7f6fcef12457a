/** Manifest settings for a cast: who speaks with which voice, by language. */
import { Schema } from "effect"
import { optional } from "./FieldDescription.ts"
import { SpeakerSettings } from "./ScriptSettings.ts"
import { SpeakerName, VoiceId } from "../values/Ids.ts"

/** A voice id, or a voice with its provider, model and controls. */
const CastVoice = Schema.Union(VoiceId, SpeakerSettings)
export type CastVoice = typeof CastVoice.Type

/** By language, or `*` for all other languages. */
const byLanguage = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.NonEmptyString, value })

/** The voices of a manifest, or of a file that several manifests share. */
export const CastSettings = Schema.Struct({
  speakers: optional(
    Schema.Record({ key: SpeakerName, value: byLanguage(CastVoice) }),
    "Each speaker's voice by language; * means all other languages."
  ),
  default: optional(
    byLanguage(CastVoice),
    "The voice by language of lines without a speaker, and of other speakers if there is no pool."
  ),
  pool: optional(
    byLanguage(Schema.NonEmptyArray(CastVoice)),
    "Voices by language for other speakers. Each name gets one of them and keeps it."
  )
})
export type CastSettings = typeof CastSettings.Type
