/** Schemas of report.json and run.json, as documented. Times are in seconds on the source's timeline. */
import { Schema } from "effect"
import { SyncReport } from "./FilmSync.ts"
import { PartHearing } from "../speech/Hearing.ts"
import { Flag } from "../speech/Placement.ts"
import { SkipReason } from "../speech/Line.ts"

const Seconds = Schema.Number

/** A line that was sent to a rewriter, or should have been. */
export const CueRewrite = Schema.Struct({
  /** The words that were too long. */
  text: Schema.String,
  /** The shorter text that fits, if a reply contained one. */
  proposal: Schema.optional(Schema.String),
  /** Whether the proposal is spoken. `unseen`: because the manifest accepts proposals; nobody has checked it. */
  accepted: Schema.optional(Schema.Literal("seen", "unseen")),
  /** Why there is no proposal that fits. */
  why: Schema.optional(Schema.String),
  attempts: Schema.Array(
    Schema.Struct({
      /** The most characters that fit. */
      limit: Schema.Int,
      prompt: Schema.String,
      reply: Schema.String,
      /** Why the reply was refused. */
      refused: Schema.optional(Schema.String)
    })
  )
})
export type CueRewrite = typeof CueRewrite.Type

/** One cue of a job's report. */
export const CueReport = Schema.Struct({
  index: Schema.Int,
  start: Seconds,
  end: Seconds,
  /** The cue's times in the film, if its source has other times. All other times are measured against it. */
  corrected: Schema.optional(Schema.Struct({ start: Seconds, end: Seconds })),
  /** The source's text. */
  text: Schema.String,
  speaker: Schema.optional(Schema.String),
  status: Schema.Literal("spoken", "skipped", "failed"),
  /** Why the cue was skipped. */
  skipped: Schema.optional(SkipReason),
  /** Why the cue failed. */
  error: Schema.optional(Schema.String),
  /** The words that were spoken. */
  said: Schema.optional(Schema.String),
  placed: Schema.optional(Schema.Struct({ start: Seconds, end: Seconds, speed: Schema.Number })),
  /** When each of the words of `said` begins, if that was found in the audio. */
  wordStarts: Schema.optional(Schema.Array(Seconds)),
  /** The utterance's key. */
  utterance: Schema.optional(Schema.String),
  /** The engine that spoke it, if the service says so. */
  engine: Schema.optional(Schema.String),
  /** The words that a speech recogniser heard, if the job listens, or why it heard none. */
  words: Schema.optional(Schema.Union(PartHearing, Schema.Struct({ unheard: Schema.String }))),
  flags: Schema.Array(Flag),
  shortenBy: Schema.optional(Schema.Int),
  /** A rewriter's replies for its lines that are or were too long. */
  rewrites: Schema.optional(Schema.Array(CueRewrite)),
  /** Identifies the words, voices and times of its lines: approvals refer to it. Absent in older reports. */
  digest: Schema.optional(Schema.String)
})
export type CueReport = typeof CueReport.Type

const Spread = Schema.Struct({ p50: Schema.Number, p95: Schema.Number, max: Schema.Number })

/** A job's metrics, defined in docs/results.md. */
export const Metrics = Schema.Struct({
  cues: Schema.Int,
  spoken: Schema.Int,
  skipped: Schema.Int,
  failed: Schema.Int,
  coverage: Schema.Number,
  onsetShift: Spread,
  tailLateness: Schema.Struct({ p95: Schema.Number, max: Schema.Number }),
  speed: Spread,
  speedOver13: Schema.Int,
  speedStep: Schema.Struct({ p95: Schema.Number }),
  isochrony: Schema.Number,
  /** What speech leaves empty of its cues, and the cues that it fills to less than 60 %. Absent in older reports. */
  empty: Schema.optional(Schema.Struct({ seconds: Seconds, cues: Schema.Int })),
  overruns: Schema.Int,
  overlaps: Schema.Int,
  cutWords: Schema.Int,
  loudness: Schema.Struct({ integrated: Schema.Number, truePeak: Schema.Number, clipSpread: Schema.Number })
})
export type Metrics = typeof Metrics.Type

/** Loudness (LUFS) and true peak (dBTP) reported for a job without sound: those of silence. */
export const unheard = { integrated: -70, truePeak: -120 } as const

/** A job's report.json. */
export const JobReport = Schema.Struct({
  job: Schema.String,
  input: Schema.String,
  language: Schema.optional(Schema.String),
  duration: Seconds,
  /** The job's speed limits. Absent in reports from versions that did not record them. */
  fit: Schema.optional(
    Schema.Struct({
      maxSpeed: Schema.Number,
      hardMaxSpeed: Schema.Number,
      /** Absent if lines are not slowed down. */
      minSpeed: Schema.optional(Schema.Number)
    })
  ),
  /** Where the picture is held or slowed, in the film's own time. Absent if it is not. */
  picture: Schema.optional(
    Schema.Struct({
      /** By how much the film is longer. */
      added: Seconds,
      stretches: Schema.Array(Schema.Struct({ cue: Schema.Int, from: Seconds, to: Seconds, added: Seconds }))
    })
  ),
  /** How the subtitle fits the film's sound. Absent if the two were not compared. */
  sync: Schema.optional(SyncReport),
  cues: Schema.Array(CueReport),
  metrics: Metrics
})
export type JobReport = typeof JobReport.Type

/** A job's entry in run.json. */
export const JobSummary = Schema.Struct({
  id: Schema.String,
  status: Schema.Literal("delivered", "failed", "unfinished"),
  error: Schema.optional(Schema.String)
})
export type JobSummary = typeof JobSummary.Type

/** Why a run stopped creating tasks. */
export const HaltReason = Schema.Literal("credits", "key", "budget", "deadline", "unreachable", "unreadable")

/** Whether a run stopped because its service gave no answer, or none that can be used. */
export const isServiceFault = (reason: string): boolean => reason === "unreachable" || reason === "unreadable"

/** A batch's run.json. */
export const RunReport = Schema.Struct({
  /** The batch's name in the manifest. */
  name: Schema.optionalWith(Schema.String, { exact: true }),
  manifest: Schema.String,
  startedAt: Schema.String,
  seconds: Schema.Number,
  jobs: Schema.Array(JobSummary),
  tasks: Schema.Struct({
    created: Schema.Int,
    adopted: Schema.Int,
    /** Absent in files from versions that did not count this. */
    resumed: Schema.optionalWith(Schema.Int, { default: () => 0 }),
    reused: Schema.Int,
    retried: Schema.Int,
    failed: Schema.Int
  }),
  characters: Schema.Int,
  credits: Schema.Struct({
    before: Schema.optional(Schema.Number),
    after: Schema.optional(Schema.Number),
    /** Spent by this run. Absent if it is unknown. */
    spent: Schema.optional(Schema.Number),
    /** Spent by this run, and by earlier runs of the batch that did not finish. Absent if nothing was. */
    batch: Schema.optional(Schema.Number),
    /** The part of it for new takes of lines whose audio was damaged, or whose task was lost. */
    repeats: Schema.optional(Schema.Struct({ tasks: Schema.Int, credits: Schema.Number }))
  }),
  /** Why the run stopped early: a reason to stop creating tasks, a signal, or a failed state disk. */
  stopped: Schema.optional(
    Schema.Struct({
      reason: Schema.Literal(...HaltReason.literals, "interrupted", "state"),
      words: Schema.String
    })
  ),
  /** Warnings for the user, such as a service that does not return labels, or a clock that jumped. */
  warnings: Schema.Array(Schema.String)
})
export type RunReport = typeof RunReport.Type
