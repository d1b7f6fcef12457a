/**
 * report.json and run.json, field by field as the command line promises. Times are seconds on the source's timeline.
 */
import { Schema } from "effect"
import { Flag } from "../speech/Placement.ts"
import { SkipReason } from "../speech/Line.ts"

const Seconds = Schema.Number

/** One cue of a job's report. */
export const CueReport = Schema.Struct({
  index: Schema.Int,
  start: Seconds,
  end: Seconds,
  /** The source's wording. */
  text: Schema.String,
  speaker: Schema.optional(Schema.String),
  status: Schema.Literal("spoken", "skipped", "failed"),
  /** Why it was skipped. */
  skipped: Schema.optional(SkipReason),
  /** Why it failed. */
  error: Schema.optional(Schema.String),
  /** What was said. */
  said: Schema.optional(Schema.String),
  placed: Schema.optional(Schema.Struct({ start: Seconds, end: Seconds, speed: Schema.Number })),
  /** The utterance's key. */
  utterance: Schema.optional(Schema.String),
  flags: Schema.Array(Flag),
  shortenBy: Schema.optional(Schema.Int)
})
export type CueReport = typeof CueReport.Type

const Spread = Schema.Struct({ p50: Schema.Number, p95: Schema.Number, max: Schema.Number })

/** A job's figures; see the definitions in docs/results.md. */
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
  overruns: Schema.Int,
  overlaps: Schema.Int,
  cutWords: Schema.Int,
  loudness: Schema.Struct({ integrated: Schema.Number, truePeak: Schema.Number, clipSpread: Schema.Number })
})
export type Metrics = typeof Metrics.Type

/** What stands for the loudness of a job that has no sound, in LUFS and dBTP: that of silence. */
export const unheard = { integrated: -70, truePeak: -120 } as const

/** report.json of a job. */
export const JobReport = Schema.Struct({
  job: Schema.String,
  input: Schema.String,
  language: Schema.optional(Schema.String),
  duration: Seconds,
  /** The job's limits of speed; absent in reports that were written before they were recorded. */
  fit: Schema.optional(Schema.Struct({ maxSpeed: Schema.Number, hardMaxSpeed: Schema.Number })),
  cues: Schema.Array(CueReport),
  metrics: Metrics
})
export type JobReport = typeof JobReport.Type

/** A job's line in run.json. */
export const JobSummary = Schema.Struct({
  id: Schema.String,
  status: Schema.Literal("delivered", "failed", "unfinished"),
  error: Schema.optional(Schema.String)
})
export type JobSummary = typeof JobSummary.Type

/** Why creates were stopped before the end. */
export const HaltReason = Schema.Literal("credits", "key", "budget", "deadline", "unreachable")

/** run.json of a batch. */
export const RunReport = Schema.Struct({
  /** What the manifest calls the batch. */
  name: Schema.optionalWith(Schema.String, { exact: true }),
  manifest: Schema.String,
  startedAt: Schema.String,
  seconds: Schema.Number,
  jobs: Schema.Array(JobSummary),
  tasks: Schema.Struct({
    created: Schema.Int,
    adopted: Schema.Int,
    /** Absent in what was written before this was counted. */
    resumed: Schema.optionalWith(Schema.Int, { default: () => 0 }),
    reused: Schema.Int,
    retried: Schema.Int,
    failed: Schema.Int
  }),
  characters: Schema.Int,
  credits: Schema.Struct({ before: Schema.optional(Schema.Number), after: Schema.optional(Schema.Number) }),
  /**
   * Why nothing more was started before the end, or there was none: a signal came, or the disk of the state gave way.
   */
  stopped: Schema.optional(
    Schema.Struct({
      reason: Schema.Literal(...HaltReason.literals, "interrupted", "state"),
      words: Schema.String
    })
  ),
  /** What a person should know besides: a service that does not echo labels, a clock that jumped. */
  warnings: Schema.Array(Schema.String)
})
export type RunReport = typeof RunReport.Type
