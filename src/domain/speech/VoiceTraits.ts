/** What a service's list says about a voice. */
import type { ProviderId, VoiceId } from "../values/Ids.ts"

export interface VoiceTraits {
  /** BCP 47 tags; empty if unknown. */
  readonly languages: ReadonlyArray<string>
  readonly gender?: "female" | "male" | "neutral" | undefined
}

/** Finds a voice in the service's lists; undefined if they lack it or could not be read. */
export type TraitsOf = (voice: {
  readonly provider?: ProviderId | undefined
  readonly voice?: VoiceId | undefined
}) => VoiceTraits | undefined
