/** Command-line options that affect how a batch is loaded. */
import type { Array, Effect } from "effect"
import type { BilingualChoice } from "../../domain/manifest/ScriptSettings.ts"
import type { OutputName } from "../../domain/manifest/Outputs.ts"
import type { LanguageTag, ModelId, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import type { ChosenVoices } from "./cast/JobCasting.ts"
import type { ReadInput } from "./InputFile.ts"

/** Options that add to a manifest or replace its settings. */
export interface RunFlags {
  /** The base folder of inputs; default: the process's working directory. */
  readonly cwd?: string | undefined
  readonly baseUrl?: string | undefined
  /** `DUBWRIGHT_BASE_URL`; used if neither a flag nor the manifest sets the service. */
  readonly environmentBaseUrl?: string | undefined
  readonly embedded?: boolean | undefined
  /** Ids of the service's own providers, which manifests need not declare. */
  readonly providers?: ReadonlyArray<string>
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
  readonly outputs?: ReadonlyArray<OutputName> | undefined
  /** The film of the only bare file, as written. */
  readonly video?: string | undefined
  /** The bundled service's voices for a language, for jobs that name none; the first speaks lines without a speaker. */
  readonly bundledVoices?: (language: string | undefined) => BundledVoices
  /**
   * Reads from a state folder the maximum text lengths that earlier runs learned. A limit in the manifest takes
   * precedence.
   */
  readonly learnedLimits?: (state: string) => Effect.Effect<LearnedLimit>
  /**
   * Set while files arrive: jobs wait for files that are missing, and for those for which this is true. Without it, a
   * missing file is a fault.
   */
  readonly isArriving?: ((path: string) => boolean) | undefined
  /** Whether subtitle tracks in films are left unread. */
  readonly withoutTracks?: boolean | undefined
  /** Whether a cast file that does not exist yet counts as empty. */
  readonly newCast?: boolean | undefined
  /** Reads the voices that speakers got from pools in earlier runs, from a state folder. */
  readonly chosenVoices?: (state: string) => Effect.Effect<ChosenVoices>
  /** Reads the named files. */
  readonly read?: ReadInput | undefined
}

/** Voices with their providers, the preferred ones first. */
export type BundledVoices = Array.NonEmptyReadonlyArray<{
  readonly provider: ProviderId
  readonly voice: VoiceId
  /** Why no bundled voice speaks the language; absent if one does. */
  readonly mute?: string
}>

/** Maximum characters that a provider accepts; undefined if it has never rejected a text as too long. */
export type LearnedLimit = (provider: ProviderId) => number | undefined
