/** What a dry run tells, field by field as `plan --json` prints it. Times are seconds on the source's timeline. */
import type { SpeakerName } from "../values/Ids.ts"
import type { OutputName } from "../manifest/Outputs.ts"
import type { Flag } from "../speech/Placement.ts"

/** Where a line's length comes from: its clip at hand, its voice's usual pace, or the words alone. */
export type LengthSource = "measured" | "learned" | "estimated"

/** A line that would not fit its slot without being rushed or running on too long. */
export interface TightLine {
  readonly cue: number
  /** The source file's line on which the cue stands. */
  readonly line?: number
  readonly speaker?: SpeakerName
  readonly said: string
  readonly start: number
  readonly end: number
  /** How long its speech takes, unhurried. */
  readonly needs: number
  readonly lengthFrom: LengthSource
  /** How many times faster it would be spoken. */
  readonly speed: number
  /** How far it would run past its cue's end. */
  readonly late: number
  readonly flags: ReadonlyArray<Flag>
  /** By how many characters it is too long; absent where only its neighbours crowd it. */
  readonly shortenBy?: number
}

/** A line that cannot be read, and so will not be heard. */
export interface LostLine {
  readonly cue: number
  /** The source file's line on which it begins. */
  readonly line: number
  /** As report.json will have it: the file, the line, and what is wrong. */
  readonly error: string
}

/** Somebody who speaks in a job. */
export interface PlannedSpeaker {
  /** Absent for the cues that name nobody. */
  readonly speaker?: SpeakerName
  readonly cues: number
  /** As `provider/voice`; several where cues say so for themselves. */
  readonly voices: ReadonlyArray<string>
}

/** How much there is to do. Credits are absent where a price is not known. */
export interface Effort {
  readonly cues: number
  readonly lines: number
  readonly utterances: number
  /** Of those, the ones whose clips are at hand. */
  readonly reused: number
  /** Of those, the ones whose tasks an earlier run has created: they are waited for, and not sent again. */
  readonly underWay: number
  /** Of those, the ones that failed for good: only `retry` sends them again. */
  readonly refused: number
  /** Characters that would be sent. */
  readonly characters: number
  readonly credits?: number
  /** What SRT adds to the characters that would be sent; absent where none goes as SRT. */
  readonly srt?: SrtCost
  /** Lines that would not fit. */
  readonly tightLines: number
  /** Lines that cannot be read. */
  readonly lostLines: number
}

/** What is billed of texts that go as SRT. Characters are those of what would be sent. */
export interface SrtCost {
  /** Of all SRT texts. */
  readonly characters: number
  /** Of their numbers, times and line breaks. */
  readonly markup: number
  /** Everything that would be sent with `nativeInput: text`; absent where no job's lines can go so. */
  readonly asText?: { readonly characters: number; readonly credits?: number }
  /** Why lines cannot go as text, where some cannot. */
  readonly textFault?: string
}

/** What the account can spend, as the service says. */
export interface PlannedBalance {
  /** What is left; absent where the account has no limit. */
  readonly credits?: number
  readonly unlimited: boolean
  /** By how many credits the plan costs more; 0 where the balance is enough, absent where the cost is not known. */
  readonly short?: number
}

/** An estimate of what a run would write, for folders that share a disk. */
export interface DiskSpace {
  /** The output folder, the state folder, or both; absolute. */
  readonly folders: ReadonlyArray<string>
  /** Bytes, at most. */
  readonly needed: number
  readonly free: number
}

/** One job of a dry run. */
export interface PlannedJob extends Effort {
  readonly id: string
  readonly input: string
  readonly outputs: ReadonlyArray<OutputName>
  readonly speakers: ReadonlyArray<PlannedSpeaker>
  /** How many lines have their length from where. */
  readonly lengths: Readonly<Record<LengthSource, number>>
  /** In the script's order. */
  readonly tight: ReadonlyArray<TightLine>
  readonly lost: ReadonlyArray<LostLine>
}

/** Why a job cannot be run as it is. */
export interface PlanFault {
  readonly file: string
  readonly line?: number | undefined
  readonly message: string
}

/** A dry run. */
export interface PlanReport {
  /** What the manifest calls the batch. */
  readonly name?: string
  readonly manifest: string
  readonly service: "embedded" | { readonly baseUrl: string }
  readonly out: string
  readonly jobs: ReadonlyArray<PlannedJob>
  /** Of all jobs together: an utterance that several use counts once. */
  readonly total: Effort
  /** Absent where the service was not asked, or did not say. */
  readonly balance?: PlannedBalance
  /** One entry a disk; absent where nothing can be planned. */
  readonly disk?: ReadonlyArray<DiskSpace>
  /** Subtitles beside the manifest that are in no job, relative to it; absent where there are none. */
  readonly unlisted?: ReadonlyArray<string>
  readonly faults: ReadonlyArray<PlanFault>
  /** What was mended or passed over in the scripts, a line each. */
  readonly notices: ReadonlyArray<string>
}

/** How many tasks would be created. */
export const effortToSend = ({
  utterances,
  reused,
  underWay,
  refused
}: Pick<Effort, "utterances" | "reused" | "underWay" | "refused">): number =>
  utterances - reused - underWay - refused
