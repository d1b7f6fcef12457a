/** Composes the create of an utterance as it is sent, with its idempotency key. */
import { createHash } from "node:crypto"
import type { CreateTask } from "../../contract/Task.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { TaskMarker } from "../../domain/task/TaskMarker.ts"

/** A create as it is sent. */
export interface NamedCreate {
  readonly path: string
  /** JSON. */
  readonly body: string
  /** Its idempotency key, if it has one. */
  readonly key: string | undefined
  readonly provider: string
}

/** Composes a create. Its idempotency key is made from the mark and from everything that the service compares. */
export const composeCreate = (
  utterance: Utterance,
  label: string,
  profile: ProviderProfile,
  mark?: TaskMarker
): NamedCreate => {
  const { provider, voice } = utterance.casting
  const path = `/v1/text-to-speech/${encodeURIComponent(voice)}`
  const body = JSON.stringify(payloadOf(utterance, label, profile))
  const key =
    mark === undefined
      ? undefined
      : `${mark}-${createHash("sha256").update(`${path}\n${body}`).digest("hex").slice(0, 32)}`
  return { path, body, key, provider }
}

/** Builds the body of a create, with only the fields that the provider's profile supports. */
const payloadOf = (utterance: Utterance, label: string, profile: ProviderProfile): CreateTask => {
  const { provider, model, speed, vol, pitch } = utterance.casting
  return {
    text: utterance.text,
    provider,
    voice_name: label,
    ...(model === undefined ? {} : { model_id: model }),
    ...(profile.transcript === "with_transcript" ? { with_transcript: true } : {}),
    ...(profile.transcript === "export_srt" ? { export_srt: true } : {}),
    ...(speed === undefined ? {} : { speed }),
    ...(vol === undefined ? {} : { vol }),
    ...(pitch === undefined ? {} : { pitch })
  }
}
