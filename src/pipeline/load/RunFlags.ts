/** What the command line says of a batch. */
import type { Effect } from "effect"
import type { BilingualChoice } from "../../domain/manifest/ScriptSettings.ts"
import type { LanguageTag, ModelId, ProviderId, VoiceId } from "../../domain/values/Ids.ts"

/** What the command line adds to, or says instead of, a manifest. */
export interface RunFlags {
  readonly baseUrl?: string | undefined
  /** The base address that the environment names, used where neither flag nor manifest says anything. */
  readonly environmentBaseUrl?: string | undefined
  readonly embedded?: boolean | undefined
  readonly out?: string | undefined
  readonly state?: string | undefined
  readonly concurrency?: number | undefined
  /** Only jobs whose id matches this glob. */
  readonly only?: string | undefined
  readonly voice?: VoiceId | undefined
  readonly provider?: ProviderId | undefined
  readonly model?: ModelId | undefined
  readonly language?: LanguageTag | undefined
  readonly bilingual?: BilingualChoice | undefined
  /** The voice that the bundled service offers a language by itself, for jobs that name none. */
  readonly embeddedVoice?: (language: LanguageTag | undefined) => { provider: ProviderId; voice: VoiceId }
  /**
   * What a state folder has learned of the longest texts that providers take; a manifest that names a limit knows
   * better.
   */
  readonly learnedLimits?: (state: string) => Effect.Effect<LearnedLimit>
}

/** The most characters that a provider takes; undefined where it never refused a text as too long. */
export type LearnedLimit = (provider: ProviderId) => number | undefined
