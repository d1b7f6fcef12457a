/** Branded ids and names, so that a voice id is never mistaken for a task id. */
import { Schema } from "effect"
import { expecting } from "./SchemaWords.ts"
import { faultOfName } from "./FileName.ts"

/** A provider's id: one of the interface's, or another one that a service offers. */
export const ProviderId = Schema.NonEmptyTrimmedString.pipe(Schema.brand("ProviderId"))
export type ProviderId = typeof ProviderId.Type

/** The bundled service's provider of the neural voices that are installed on this machine. */
export const neuralProvider = ProviderId.make("provider_neural")

/** A voice's id on the service. */
export const VoiceId = Schema.NonEmptyTrimmedString.pipe(Schema.brand("VoiceId"))
export type VoiceId = typeof VoiceId.Type

/** A model's id on the service. */
export const ModelId = Schema.NonEmptyTrimmedString.pipe(Schema.brand("ModelId"))
export type ModelId = typeof ModelId.Type

/** A task's id on the service: a UUID by the interface, but any string is accepted. */
export const TaskId = Schema.NonEmptyTrimmedString.pipe(Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type

/** A job's id. It also names the job's folder and files, so it must be a valid file name. */
export const JobId = Schema.NonEmptyTrimmedString.pipe(
  Schema.maxLength(120),
  Schema.filter((id) => {
    const fault = faultOfName(id)
    return fault === undefined || `the job id "${id}" cannot be a file name: ${fault}`
  }),
  Schema.brand("JobId")
)
export type JobId = typeof JobId.Type

/** A speaker's name as written in the script. */
export const SpeakerName = Schema.NonEmptyTrimmedString.pipe(Schema.brand("SpeakerName"))
export type SpeakerName = typeof SpeakerName.Type

/** A BCP 47 language tag such as `en`, `vi` or `pt-BR`. */
export const LanguageTag = Schema.NonEmptyTrimmedString.pipe(
  Schema.pattern(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/u, expecting("a language tag such as en, vi or pt-BR")),
  Schema.brand("LanguageTag")
)
export type LanguageTag = typeof LanguageTag.Type

/** An utterance's key: a hash of casting and text, as 64 hexadecimal digits. See `Utterance`. */
export const UtteranceKey = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{64}$/u),
  Schema.brand("UtteranceKey")
)
export type UtteranceKey = typeof UtteranceKey.Type

/** Returns the primary subtag of a language tag, in lower case: `pt` for `pt-BR` or `pt_BR`. */
export const primaryLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/u)[0] ?? ""
