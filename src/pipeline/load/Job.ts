/** A job and its batch, settled: defaults applied, paths absolute, every choice made. */
import type { CueOverrides } from "../../domain/manifest/CueOverride.ts"
import type {
  ModelId,
  JobId,
  LanguageTag,
  ProviderId,
  SpeakerName,
  VoiceId
} from "../../domain/values/Ids.ts"
import type { OutputName, TimelineSettings } from "../../domain/manifest/Outputs.ts"
import type {
  LexiconEntry,
  PauseSettings,
  SpeakerSettings,
  TextSettings
} from "../../domain/manifest/ScriptSettings.ts"
import type { NotifySettings, Undecided } from "../../domain/manifest/ServiceSettings.ts"
import type {
  AudioSettings,
  ChapterEntry,
  LoudnessTarget,
  TagSettings
} from "../../domain/manifest/SoundSettings.ts"
import type { FitLimits } from "../../domain/speech/Placement.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import type { Duck } from "../../audio/level/Ducking.ts"

/** Who speaks when a line does not say: whatever is absent must come from its speaker. */
export interface JobVoice {
  readonly provider?: ProviderId | undefined
  readonly voice?: VoiceId | undefined
  readonly model?: ModelId | undefined
  readonly speed?: number | undefined
  readonly vol?: number | undefined
  readonly pitch?: number | undefined
}

/** One thing to make. */
export interface Job {
  readonly id: JobId
  /** Absolute. */
  readonly input: string
  /** As its user named it, for messages and reports. */
  readonly inputName: string
  readonly video?: { readonly path: string; readonly name: string }
  /** A table beside the script that names speakers and voices by cue. */
  readonly sheet?: { readonly path: string; readonly name: string }
  readonly language?: LanguageTag
  readonly voice: JobVoice
  readonly speakers: Readonly<Record<SpeakerName, SpeakerSettings>>
  readonly nativeInput: "srt" | "text"
  readonly unit: "cue" | "sentence"
  readonly onFailure: "fail" | "silence"
  readonly fit: FitLimits
  readonly retake: boolean
  readonly text: TextSettings
  readonly lexicon: ReadonlyArray<LexiconEntry>
  readonly pauses: PauseSettings
  readonly loudness: LoudnessTarget
  readonly timeline: TimelineSettings
  readonly original: "keep" | "drop" | "duck"
  readonly duck: Duck
  readonly audio: AudioSettings
  readonly tags: TagSettings
  /** In order of their start; absent where a narration's headings stand for them. */
  readonly chapters?: ReadonlyArray<ChapterEntry>
  /** The name of a video in the output folder that this and other jobs go into. */
  readonly into?: string
  /** Whether what was delivered is listened to. */
  readonly verify: boolean
  readonly encoding?: string
  readonly outputs: ReadonlyArray<OutputName>
  /** What a person has changed about single cues. */
  readonly overrides?: CueOverrides
}

/** Everything one run is about. */
export interface Batch {
  /** What its manifest calls it. */
  readonly name?: string
  /** The manifest, or the inputs, as named by the user. */
  readonly manifest: string
  /** What the batch is known by in its state: the manifest's absolute path, and which jobs were asked for. */
  readonly key: string
  /** Absolute folders: where results go, and where the state lives. */
  readonly out: string
  readonly state: string
  /** The bundled service, or a remote one's base address. */
  readonly service: "embedded" | { readonly baseUrl: string }
  readonly undecided: Undecided
  readonly profileOf: (provider: ProviderId) => ProviderProfile
  /** Who is told when a run has ended. */
  readonly notify?: NotifySettings
  readonly jobs: readonly [Job, ...ReadonlyArray<Job>]
  /** Every job of the manifest in its order, where only some of them were asked for. */
  readonly every?: ReadonlyArray<Job>
  /** What was passed over when the batch was loaded, a line each. */
  readonly notices?: ReadonlyArray<string>
}
