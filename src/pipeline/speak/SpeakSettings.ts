/** What the speak stage is given, and what it gives back. */
import type { Duration } from "effect"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { HaltReason } from "../../domain/report/Report.ts"
import type { Undecided } from "../../domain/manifest/ServiceSettings.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"

export interface SpeakSettings {
  /** The utterances wanted, planned before, in the order in which they are wanted. */
  readonly keys: ReadonlyArray<UtteranceKey>
  readonly profileOf: (provider: ProviderId) => ProviderProfile
  /** Creates stop before the batch spends more; absent means no limit. */
  readonly maxCredits: number | undefined
  /** Credits of that limit that the batch has spent already, in runs that were cut short. */
  readonly spentBefore: number
  /** Of a create whose answer was lost, at a service that does not repeat labels. */
  readonly undecided: Undecided
  /** After this moment nothing new is started; absent means no such moment. */
  readonly deadline?: Deadline | undefined
  /** The state folder, where the service is the bundled one and keeps its audio there, too. */
  readonly folder?: string
  /** How long the run goes on without a single success before it stops with what is left; default half an hour. */
  readonly patience: Duration.DurationInput
  /** New takes for bad audio over the whole run, as a share of its utterances (and at least three); default 0.05. */
  readonly rerolls: number
}

/** The settings of a run that says nothing special. */
export const defaultSpeakSettings = {
  maxCredits: undefined,
  spentBefore: 0,
  undecided: "match",
  patience: "30 minutes",
  rerolls: 0.05
} as const satisfies Partial<SpeakSettings>

/** A moment after which nothing new is started. */
export interface Deadline {
  /** Milliseconds since 1970. */
  readonly at: number
  /** As its user said it. */
  readonly words: string
}

/** Why creates were stopped before the end. */
export interface Halt {
  readonly reason: typeof HaltReason.Type
  /** One line, with how to mend it. */
  readonly words: string
}

/** What became of the utterances; each one's own state stands in the store. */
export interface SpeakSummary {
  /** Tasks that this run created. */
  readonly created: number
  /** Tasks of an earlier run that were found in the history. */
  readonly adopted: number
  /** Tasks that an earlier run had created, and known, and whose audio this run has fetched. */
  readonly resumed: number
  /** Utterances whose clips were at hand before. */
  readonly reused: number
  /** Creates, looks and fetches that were tried again, and takes that were given up. */
  readonly retried: number
  /** Utterances that are failed now. */
  readonly failed: number
  /** Utterances that are neither spoken nor failed: the next run goes on with them. */
  readonly left: number
  /** Clips that were kept though something is odd about them. */
  readonly suspect: number
  /** Characters of the tasks created. */
  readonly characters: number
  /** Credits of the tasks created: what the service said, else by the known price; absent where neither is known. */
  readonly credits: number | undefined
  readonly halt: Halt | undefined
  /** What a person should know besides. */
  readonly warnings: ReadonlyArray<string>
}
