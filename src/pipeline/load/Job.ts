/** A job and its batch as resolved: defaults applied, paths absolute, every setting present. */
import type { Effect } from "effect"
import type { RemoteService } from "../../domain/manifest/ServiceDialect.ts"
import type { FrameRateWritten } from "../../domain/time/FrameRate.ts"
import type { CueOverrides } from "../../domain/manifest/CueOverride.ts"
import type { JobApprovals, SpeakerVoice } from "../../domain/manifest/ReviewDecisions.ts"
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
  ColumnSettings,
  LexiconEntry,
  PauseSettings,
  SpeakerSettings,
  TextSettings
} from "../../domain/manifest/ScriptSettings.ts"
import type { ListenSettings } from "../../domain/manifest/ListenSettings.ts"
import type { RewriteSettings } from "../../domain/manifest/RewriteSettings.ts"
import type { NotifySettings, Undecided } from "../../domain/manifest/ServiceSettings.ts"
import type {
  AudioSettings,
  ChapterEntry,
  LoudnessTarget,
  TagSettings
} from "../../domain/manifest/SoundSettings.ts"
import type { NamedProfile } from "./ProfileFile.ts"
import type { FitLimits, PictureLimits } from "../../domain/speech/Placement.ts"
import type { TraitsOf } from "../../domain/speech/VoiceTraits.ts"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { ProviderProfile, StatedRules } from "../../domain/speech/ProviderProfile.ts"
import type { UtteranceRules } from "../../script/utterances/UtterancePlan.ts"
import type { Duck } from "../../audio/level/Ducking.ts"

/** The job's default voice. Absent fields must come from the line's speaker. */
export interface JobVoice {
  readonly provider?: ProviderId | undefined
  readonly voice?: VoiceId | undefined
  readonly model?: ModelId | undefined
  readonly speed?: number | undefined
  readonly vol?: number | undefined
  readonly pitch?: number | undefined
  /** Why it cannot speak: no bundled voice speaks the job's language. */
  readonly mute?: string | undefined
}

/** The voices that a job may use besides its own, in its language. */
export interface JobCast {
  /** Every speaker of the cast, in any language. */
  readonly names: ReadonlyArray<string>
  /** Those with a voice in the job's language. */
  readonly speakers: Readonly<Record<SpeakerName, SpeakerSettings>>
  /** Voices for speakers who have none; may be empty. */
  readonly pool: ReadonlyArray<SpeakerSettings>
  /** Absolute path of the manifest or cast file; empty without a cast. Choices from the pool are kept per file. */
  readonly file: string
  /** Whether the manifest itself has the cast. */
  readonly isInManifest: boolean
  /** The voice that earlier runs chose from the pool for a speaker. */
  readonly chosen: (speaker: SpeakerName) => VoiceId | undefined
}

/** Music and effects to lay under the voices. */
export interface Background {
  /** Absolute. */
  readonly path: string
  readonly name: string
  /** In decibels. */
  readonly gain: number
  readonly duck?: Duck
}

/** A program that makes a background from the film's own sound. */
export interface Separation {
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** Seconds for one film. */
  readonly timeout: number
  /** In decibels. */
  readonly gain: number
  readonly duck?: Duck
  /** The base folder of the program's relative paths, and the folder of its results; both absolute. */
  readonly folder: string
  readonly kept: string
}

/** One input file and the settings for its outputs. */
export interface Job {
  readonly id: JobId
  /** Absolute. */
  readonly input: string
  /** The film, absolute, if the input is the text of one of its subtitle tracks. */
  readonly film?: string
  /** As the user named it, for messages and reports. */
  readonly inputName: string
  readonly video?: { readonly path: string; readonly name: string }
  readonly background?: Background
  readonly separate?: Separation
  /** The cue sheet: a table that names speakers and voices by cue. */
  readonly sheet?: { readonly path: string; readonly name: string }
  readonly language?: LanguageTag
  /** The text that the names in its input pattern matched, without the language: the episode of a season. */
  readonly episode?: string
  readonly voice: JobVoice
  readonly speakers: Readonly<Record<SpeakerName, SpeakerSettings>>
  /** Absent once the cast has been applied. */
  readonly cast?: JobCast
  /** The form of text for a provider that accepts SRT; absent: chosen by the plan. */
  readonly nativeInput?: "srt" | "text"
  readonly unit: "cue" | "sentence"
  readonly onFailure: "fail" | "silence"
  readonly fit: FitLimits
  /** How the subtitle is compared with the film; absent if it is not. */
  readonly sync?: "check" | "auto"
  /** Whether cues are moved to the beginning of speech near them. */
  readonly follow?: "speech"
  /** Seconds added to the cue times, after they are multiplied by `rate`. */
  readonly shift?: number
  readonly rate?: number
  readonly retake: boolean
  /** How the picture gives way to lines that do not fit; absent if it does not. */
  readonly picture?: PictureLimits
  readonly text: TextSettings
  readonly lexicon: ReadonlyArray<LexiconEntry>
  readonly pauses: PauseSettings
  readonly loudness: LoudnessTarget
  /** The delivery profile that the result must meet. */
  readonly delivery?: NamedProfile
  readonly timeline: TimelineSettings
  readonly original: "keep" | "drop" | "duck"
  readonly duck: Duck
  readonly audio: AudioSettings
  readonly tags: TagSettings
  /** Whether files say that their speech is synthetic. */
  readonly markSynthetic: boolean
  /** Ordered by start. If absent, a narration's headings become the chapters. */
  readonly chapters?: ReadonlyArray<ChapterEntry>
  /** The file name of a video in the output folder to which this job, and others, add an audio track. */
  readonly into?: string
  /** Whether the delivered audio is verified against the report. */
  readonly verify: boolean
  /** The recogniser that checks what clips say. */
  readonly listen?: ListenSettings
  /** The rewriter that shortens lines which do not fit. */
  readonly rewrite?: RewriteSettings
  readonly encoding?: string
  /** The script's timecode at which the film begins. */
  readonly start?: string
  /** Frames per second of a script that counts frames without stating its rate. */
  readonly frameRate?: FrameRateWritten
  /** The columns of a dialogue list. */
  readonly columns?: ColumnSettings
  readonly outputs: ReadonlyArray<OutputName>
  /** Changes to single cues, accepted in review. */
  readonly overrides?: CueOverrides
  /** Voices of speakers for all of their lines, chosen in review. */
  readonly recast?: ReadonlyArray<SpeakerVoice>
  /** The approvals of its cues and of the job itself, from review. */
  readonly approvals?: JobApprovals
}

/** The input files of a job. */
export const filesOf = ({ input, film, video, background, sheet }: Job): ReadonlyArray<string> => [
  film ?? input,
  ...(video === undefined ? [] : [video.path]),
  ...(background === undefined ? [] : [background.path]),
  ...(sheet === undefined ? [] : [sheet.path])
]

/** What services have stated about their providers, in this run or earlier ones. */
export interface StatedBefore {
  /** Credits for one character. */
  readonly priceOf: (casting: Casting) => number | undefined
  /** Texts that were sent, and the other profiles by which they may have been cut. */
  readonly cuts: UtteranceRules["cuts"]
  /** What the service stated that cannot be meant, in one line. */
  readonly notices?: ReadonlyArray<string>
  /** Asks the service, and returns the batch under what it states. Never fails. */
  readonly asked?: Effect.Effect<Batch>
  /** What to keep for later runs, if the service has answered. */
  readonly record?: string
}

/** The input of one run. */
export interface Batch {
  /** The manifest's `name`. */
  readonly name?: string
  /** The manifest, or the inputs, as named by the user. */
  readonly manifest: string
  /** The batch's id in the state: the manifest's absolute path and the `--only` pattern. */
  readonly key: string
  /** The folders for results and for the state, both absolute. */
  readonly out: string
  readonly state: string
  /** The bundled service, or a remote one's base address. */
  readonly service: "embedded" | RemoteService
  readonly undecided: Undecided
  /** A provider's profile, with `stated` in place of what its service is known to state. */
  readonly profileOf: (provider: ProviderId, stated?: StatedRules) => ProviderProfile
  /** What services state about their providers; absent before the state was read. */
  readonly stated?: StatedBefore
  /** Whom to notify when a run has ended. */
  readonly notify?: NotifySettings
  readonly jobs: readonly [Job, ...ReadonlyArray<Job>]
  /** Every job of the manifest in its order; present only if `--only` selected some of them. */
  readonly every?: ReadonlyArray<Job>
  /** Settings and files that were ignored when the batch was loaded, one line each. */
  readonly notices?: ReadonlyArray<string>
  /** Which voices speak for jobs that name none, one line each. */
  readonly remarks?: ReadonlyArray<string>
  /** Reads the service's lists of voices, once. Never fails. */
  readonly traits?: Effect.Effect<TraitsOf>
  /** The providers and voices, by id, that the service in this process cannot speak with, and what to do. */
  readonly unusable?: ReadonlyMap<string, string>
}
