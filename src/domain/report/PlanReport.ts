/**
 * The result of a dry run, field by field as `plan --json` prints it. Times are in seconds on the source's timeline.
 */
import type { SpeakerName } from "../values/Ids.ts"
import type { OutputName } from "../manifest/Outputs.ts"
import type { SyncReport } from "./FilmSync.ts"
import type { Flag } from "../speech/Placement.ts"

/** Source of a line's length: its clip, its voice's learned speech rate, or an estimate from the words alone. */
export type LengthSource = "measured" | "learned" | "estimated"

/** A line that cannot fit its slot within the job's limits for speed and lateness. */
export interface TightLine {
  readonly cue: number
  /** Line number of the cue in the source file. */
  readonly line?: number
  readonly speaker?: SpeakerName
  readonly said: string
  readonly start: number
  readonly end: number
  /** Length of its speech at normal speed, in seconds. */
  readonly needs: number
  readonly lengthFrom: LengthSource
  /** Speed factor at which the line would play. */
  readonly speed: number
  /** How far it would run past its cue's end, in seconds. */
  readonly late: number
  readonly flags: ReadonlyArray<Flag>
  /** Number of characters to cut. Absent if only neighbouring lines leave it too little time. */
  readonly shortenBy?: number
}

/** A line that cannot be read and will not be spoken. */
export interface LostLine {
  readonly cue: number
  /** Line number in the source file where it begins. */
  readonly line: number
  /** The error as report.json will show it: the file, the line, and the problem. */
  readonly error: string
}

/** A speaker of a job. */
export interface PlannedSpeaker {
  /** Absent for cues that name no speaker. */
  readonly speaker?: SpeakerName
  readonly cues: number
  /** As `provider/voice`; several if single cues choose other voices. */
  readonly voices: ReadonlyArray<string>
}

/** The amount of work. `credits` is absent if a price is not known. */
export interface Effort {
  readonly cues: number
  readonly lines: number
  readonly utterances: number
  /** Utterances whose clips are cached. */
  readonly reused: number
  /** Utterances whose tasks an earlier run created. They are polled, not created again. */
  readonly underWay: number
  /** Utterances that failed permanently. Only `retry` sends them again. */
  readonly refused: number
  /** Characters to send. */
  readonly characters: number
  readonly credits?: number
  /** The characters that SRT adds to those of the texts to send. Absent if nothing is or could be sent as SRT. */
  readonly srt?: SrtCost
  /** Number of lines that would not fit. */
  readonly tightLines: number
  /** Number of lines that cannot be read. */
  readonly lostLines: number
}

/** Characters billed for texts sent as SRT, counting only unsent texts. */
export interface SrtCost {
  /** All characters of the SRT texts. */
  readonly characters: number
  /** Characters of their cue numbers, times and line breaks. */
  readonly markup: number
  /** Characters that an SRT would add to the texts that the plan chose to send plain. */
  readonly saved?: number
}

/** The account's balance, as the service reports it. */
export interface PlannedBalance {
  /** Remaining credits. Absent if the account is unlimited. */
  readonly credits?: number
  readonly unlimited: boolean
  /** How many credits are missing: 0 if the balance is enough, absent if the cost is not known. */
  readonly short?: number
}

/** Estimated disk space that a run needs, per disk. */
export interface DiskSpace {
  /** Absolute paths: the output folder, the state folder, or both if they share the disk. */
  readonly folders: ReadonlyArray<string>
  /** Upper bound in bytes. */
  readonly needed: number
  readonly free: number
}

/** One job of a dry run. */
export interface PlannedJob extends Effort {
  readonly id: string
  readonly input: string
  readonly outputs: ReadonlyArray<OutputName>
  readonly speakers: ReadonlyArray<PlannedSpeaker>
  /** Number of lines by the source of their length. */
  readonly lengths: Readonly<Record<LengthSource, number>>
  /** How often the picture is held or slowed for lines that would not fit otherwise. Absent if it never is. */
  readonly held?: { readonly times: number; readonly seconds: number }
  /** What speech is likely to leave empty of its cues, and the cues that it fills to less than 60 %. */
  readonly empty: { readonly seconds: number; readonly cues: number }
  /** In script order. */
  readonly tight: ReadonlyArray<TightLine>
  readonly lost: ReadonlyArray<LostLine>
  /** Number of lines that would be sent to the job's rewriter. Absent without one. */
  readonly rewrites?: number
  /** How the subtitle fits the film's sound. Absent if the two were not compared. */
  readonly sync?: SyncReport
}

/** Why a job cannot run as it is. */
export interface PlanFault {
  readonly file: string
  readonly line?: number | undefined
  readonly message: string
}

/** A dry run of a batch. */
export interface PlanReport {
  /** The batch's name in the manifest. */
  readonly name?: string
  readonly manifest: string
  readonly service: "embedded" | { readonly baseUrl: string }
  readonly out: string
  readonly jobs: ReadonlyArray<PlannedJob>
  /** Totals over all jobs. An utterance used by several jobs counts once. */
  readonly total: Effort
  /** Absent if the service was not asked, or did not report it. */
  readonly balance?: PlannedBalance
  /** One entry per disk. Absent if no job can be planned. */
  readonly disk?: ReadonlyArray<DiskSpace>
  /** Subtitles beside the manifest that no job uses, relative to it. Absent if every subtitle is used. */
  readonly unlisted?: ReadonlyArray<string>
  readonly faults: ReadonlyArray<PlanFault>
  /** Repairs and skipped parts of the scripts, one entry each. */
  readonly notices: ReadonlyArray<string>
}

/** Returns how many tasks would be created. */
export const effortToSend = ({
  utterances,
  reused,
  underWay,
  refused
}: Pick<Effort, "utterances" | "reused" | "underWay" | "refused">): number =>
  utterances - reused - underWay - refused
