/** Input and result of the speak stage. */
import { Context, type Duration, Effect } from "effect"
import type { LanguageTag, ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { HaltReason } from "../../domain/report/Report.ts"
import type { Dialect } from "../../domain/manifest/ServiceDialect.ts"
import type { Undecided } from "../../domain/manifest/ServiceSettings.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import type { Counts, SpeakTally } from "./SpeakTally.ts"

export interface SpeakSettings {
  /** Utterances to speak, already planned, in order of priority. */
  readonly keys: ReadonlyArray<UtteranceKey>
  readonly profileOf: (provider: ProviderId) => ProviderProfile
  /** Creates stop before the batch spends more; undefined means no limit. */
  readonly maxCredits: number | undefined
  /** Credits of that limit already spent by earlier runs of this batch that did not finish. */
  readonly spentBefore: number
  /** What to do about a create whose response was lost, at a service that does not repeat labels. */
  readonly undecided: Undecided
  /** How creates are composed; default: as the interface says. */
  readonly dialect?: Dialect | undefined
  /** No new task is started after this time; undefined means no deadline. */
  readonly deadline?: Deadline | undefined
  /** The state folder, if the service is the bundled one, which keeps its audio there too. */
  readonly folder?: string
  /** How long the run continues without a single success before it stops; half an hour by default. */
  readonly patience: Duration.DurationInput
  /** New takes for bad audio in the whole run, as a share of its utterances, but at least three; 0.05 by default. */
  readonly rerolls: number
  /**
   * Whether to find the times of words in audio if the service reports none: the pages of a film highlight the spoken
   * word.
   */
  readonly timesWords: boolean
  /** The language of an utterance's job; undefined if the manifest names none. */
  readonly languageOf: (utterance: UtteranceKey) => LanguageTag | undefined
  /** Called for each utterance that is spoken or failed. A job can be delivered once all of its utterances are. */
  readonly settled: (utterance: UtteranceKey) => Effect.Effect<unknown>
  /** Counts of finished work. */
  readonly tally?: SpeakTally | undefined
  /** Whether these are takes beside those of the plan: the line of one that is not spoken keeps its earlier take. */
  readonly isSecond?: boolean
}

/** The settings of a run, for its services; `utterances` is how many it speaks. */
export class SpeakConfig extends Context.Tag("pipeline/SpeakConfig")<
  SpeakConfig,
  SpeakSettings & { readonly utterances: number }
>() {}

/** Default settings. */
export const defaultSpeakSettings = {
  maxCredits: undefined,
  spentBefore: 0,
  undecided: "match",
  patience: "30 minutes",
  rerolls: 0.05,
  timesWords: false,
  languageOf: (): LanguageTag | undefined => undefined,
  settled: () => Effect.void
} as const satisfies Partial<SpeakSettings>

/** New takes of one utterance because of bad audio. */
export const maxRerolls = 2

/** A time after which no new task is started. */
export interface Deadline {
  /** Milliseconds since 1970. */
  readonly at: number
  /** As the user wrote it. */
  readonly words: string
}

/** Why creates were stopped early. */
export interface Halt {
  readonly reason: typeof HaltReason.Type
  /** One line that includes what to do. */
  readonly words: string
}

/** Outcome of the speak stage in numbers. The state of each utterance is in the store. */
export interface SpeakSummary extends Readonly<Counts> {
  /** Credits of the created tasks, as reported by the service, else by price; undefined if neither is known. */
  readonly credits: number | undefined
  readonly halt: Halt | undefined
  /** Warnings to show to the user. */
  readonly warnings: ReadonlyArray<string>
}
