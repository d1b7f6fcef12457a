/**
 * Plans a batch before anything is sent: reads scripts, assigns voices, probes videos, and builds the utterances.
 */
import { Array, Effect, Either } from "effect"
import type { Script } from "../../domain/speech/Cue.ts"
import type { ClipHearing } from "../../domain/speech/Hearing.ts"
import type { LineRewriting } from "../../domain/speech/Rewriting.ts"
import type { CueOverrides } from "../../domain/manifest/CueOverride.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Utterance, UtteranceUse } from "../../domain/speech/Utterance.ts"
import { espeakVoiceOf } from "../../engines/BundledVoices.ts"
import type { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import { planUtterances, type UtteranceRules } from "../../script/utterances/UtterancePlan.ts"
import type { Words } from "../../script/spoken/CueWords.ts"
import { choicesOf, type BilingualPlan } from "./BilingualChoice.ts"
import { readInput, type ReadInput } from "../load/InputFile.ts"
import { InputRejected, ofOneJob, rejectInput, rejectInputs } from "../load/InputRejected.ts"
import type { Batch, Job } from "../load/Job.ts"
import { checkBackground } from "./media/JobBackground.ts"
import { filmNotices, probeJobVideo, probeOnce, type Probe } from "./media/JobVideo.ts"
import { applyOverrides, type OverridableScript, type OverriddenScript } from "./AppliedOverrides.ts"
import { overridesPath } from "../load/BatchId.ts"
import type { SubtitleTiming } from "../sync/RetimedScript.ts"
import { dialogueNotice, noticeOf, syncSubtitle } from "../sync/SubtitleSync.ts"
import { timebaseOf, type VideoTimebase } from "./media/VideoTimebase.ts"
import { lostNotice } from "./CueList.ts"
import { filmedOf, readWords, textsOf, wordsOf } from "./JobScript.ts"
import { shapeLines } from "./ShapedLines.ts"
import { castFromPools, applyCast, type PoolCast, type PoolChoice, type CastJob } from "./voices/CastPool.ts"
import { assignVoices } from "../../script/spoken/VoiceAssignment.ts"
import { castingOf, controlFaults } from "./voices/VoiceCasting.ts"

/** A job with everything known about it before it is spoken. */
export interface JobPlan {
  readonly job: Job
  readonly script: Script
  readonly words: Words
  readonly lines: ReadonlyArray<Line>
  readonly uses: ReadonlyArray<UtteranceUse>
  /** The lines and utterances without the job's overrides; absent if it was planned on another machine. */
  readonly plain?: OverridableScript
  /** The lines and utterances with cues split, joined and moved, and speakers recast, but single cues unchanged. */
  readonly shaped?: OverridableScript
  readonly video: MediaInfo | undefined
  readonly reel: VideoTimebase
  /** How the subtitle was compared with the film, and which cues were moved; absent if neither happened. */
  readonly timing?: SubtitleTiming | undefined
  /** The language choices of a bilingual subtitle, if its manifest makes none. */
  readonly bilingual?: BilingualPlan | undefined
  /** Voices that the cast's pool gave to speakers. */
  readonly choices?: ReadonlyArray<PoolChoice>
  /** The recogniser's results for the clips of its utterances, if the job listens. */
  readonly hearings?: ReadonlyArray<readonly [UtteranceKey, ClipHearing]>
  /** The rewriter's replies about lines that do not fit, if the job has a rewriter. */
  readonly rewritings?: ReadonlyArray<LineRewriting>
  /** Warnings: cues after the film's end, unreadable lines, changed film sound, ignored overrides. */
  readonly notices: ReadonlyArray<string>
}

/** A batch with the plans of its jobs. */
export interface BatchPlan {
  readonly batch: Batch
  readonly jobs: Array.NonEmptyReadonlyArray<JobPlan>
  /** Each utterance once, in the order in which it is first used. */
  readonly utterances: ReadonlyArray<Utterance>
  /** The digests of the files from which the jobs were planned, by path. */
  readonly digests: ReadonlyMap<string, string>
  /** Warnings about the jobs and their scripts, one line each. */
  readonly notices: ReadonlyArray<string>
  /** Jobs of the batch that cannot be dubbed, and why; absent if there are none. */
  readonly barred?: ReadonlyArray<BarredJob>
}

/** A job without a usable film, its background or a voice. */
export interface BarredJob {
  readonly job: Job
  readonly rejected: InputRejected
}

/** Plans every job; fails with the faults of all jobs. */
export const planBatch = Effect.fn("BatchPlan.planBatch")(function* (batch: Batch, read?: ReadInput) {
  const { plan, rejected } = yield* planPartially(batch, read)
  if (rejected !== undefined) return yield* rejected
  return plan ?? (yield* Effect.dieMessage("a batch has at least one job"))
})

/** Plans the jobs of a run. A job that lacks something of its own does not stop the others. */
export const planRun = Effect.fn("BatchPlan.planRun")(function* (batch: Batch, read?: ReadInput) {
  const { plan, rejected, faulty } = yield* planPartially(
    yield* batch.stated?.asked ?? Effect.succeed(batch),
    read
  )
  return plan !== undefined && rejected?.ofOneJob !== false
    ? { ...plan, barred: faulty }
    : yield* rejected ?? Effect.dieMessage("a batch has at least one job")
})

/** The jobs that could be planned, and the faults of the others. */
export interface PartialPlan {
  /** The jobs without a fault; undefined if all have one. */
  readonly plan: BatchPlan | undefined
  /** Every fault of the other jobs; `ofOneJob` if a run would go on without them. */
  readonly rejected: InputRejected | undefined
  readonly faulty: ReadonlyArray<BarredJob>
}

/** Plans the jobs without a fault, and collects the faults of the others. */
export const planPartially = Effect.fn("BatchPlan.planPartially")(function* (
  batch: Batch,
  read: ReadInput = readInput
) {
  const digests = new Map<string, string>()
  const reading: ReadInput = (path, name) =>
    Effect.tap(read(path, name), ({ digest }) => Effect.sync(() => digests.set(path, digest)))
  const probe = yield* probeOnce
  const [unread, scripts] = yield* Effect.partition(
    batch.jobs,
    (job) => Effect.mapError(readJob(job, batch, reading, probe), barredBy(job)),
    {
      concurrency: 2
    }
  )
  const pools = yield* castFromPools(scripts, batch)
  const [unplanned, jobs] = yield* Effect.partition(scripts, (script) =>
    Effect.mapError(planJob(script, batch, reading, pools), barredBy(script.job))
  )
  const faulty = [...unread, ...unplanned]
  const faults = faulty.flatMap(({ rejected }) => rejected.faults)
  const remarks = [...(batch.remarks ?? []), ...pools.remarks]
  return {
    plan: Array.isNonEmptyArray(jobs) ? together({ ...batch, remarks }, jobs, digests) : undefined,
    rejected: Array.isNonEmptyArray(faults)
      ? InputRejected.make({
          faults,
          ofOneJob: jobs.length > 0 && faulty.every(({ rejected }) => rejected.ofOneJob === true)
        })
      : undefined,
    faulty
  } satisfies PartialPlan
})

const barredBy =
  (job: Job) =>
  (rejected: InputRejected): BarredJob => ({ job, rejected })

const together = (
  batch: Batch,
  jobs: Array.NonEmptyReadonlyArray<JobPlan>,
  digests: ReadonlyMap<string, string>
): BatchPlan => {
  const utterances = new Map<UtteranceKey, Utterance>()
  for (const { uses } of jobs)
    for (const { utterance } of uses)
      if (!utterances.has(utterance.key)) utterances.set(utterance.key, utterance)
  return {
    batch,
    jobs,
    utterances: [...utterances.values()],
    digests,
    // Warnings about missing speech come before those about corrected text.
    notices: [
      ...(batch.notices ?? []),
      ...(batch.stated?.notices ?? []),
      ...jobs.flatMap(jobNotices),
      ...jobs.flatMap(scriptNotices)
    ]
  }
}

/** The latest start of a cue in milliseconds, 500 hours: up to there, times fit into 32-bit integers. */
const latestStart = 500 * 3_600_000

/** Reads a job's film and script, before its lines get their voices. */
const readJob = Effect.fnUntraced(function* (job: Job, batch: Batch, reading: ReadInput, probe: Probe) {
  const video = yield* probeJobVideo(job, probe)
  const { script: read, words: first } = yield* readWords(job, batch, reading, video)
  const far = read._tag === "Subtitle" ? read.cues.find(({ start }) => start > latestStart) : undefined
  if (far !== undefined)
    return yield* rejectInput(
      job.inputName,
      `cue ${far.index} starts after ${Math.floor(far.start / 3_600_000)} hours; the limit is 500 hours; correct its time or delete it`
    )
  const { script, ...timing } = yield* syncSubtitle(job, read, first, video, batch.state)
  yield* Effect.mapError(checkBackground(job, script, video), ofOneJob)
  const all = script === read ? first : yield* wordsOf(job, script, batch, reading)
  const { words, notices: unfilmed } = yield* filmedOf(job, script, all, video, timing.moved)
  return { job, script, words, timing, video, unfilmed }
})

const planJob = Effect.fnUntraced(function* (
  { job, script, words, timing, video, unfilmed }: Effect.Effect.Success<ReturnType<typeof readJob>>,
  batch: Batch,
  reading: ReadInput,
  pools: PoolCast
) {
  const { job: cast, choices, lines } = yield* castLines(job, words, batch, pools)
  const { voice, mute } = job.voice
  if (mute !== undefined && lines.some(({ casting }) => casting.voice === voice))
    return yield* ofOneJob(rejectInput(job.inputName, `job ${job.id}: ${mute}`))
  const rules = rulesOf(job, script, batch)
  const { uses, violations } = planUtterances(lines, rules)
  if (Array.isNonEmptyReadonlyArray(violations)) {
    const lineOf = new Map(words.cues.map(({ cue, line }) => [cue, line]))
    return yield* rejectInputs(
      job.inputName,
      Array.map(violations, (violation) => ({
        message: violation.message,
        line: lineOf.get(("lines" in violation ? violation.lines[0] : violation.line).cue)
      }))
    )
  }
  const mending = yield* mendedBy(job, script, { lines, uses }, batch)
  yield* checkControls(job, mending.uses, batch)
  const reel = yield* Either.mapLeft(timebaseOf(job, video), (fault) =>
    rejectInput(batch.manifest, `job ${job.id}: ${fault}`)
  )
  const missed = lostNotice(job, words)
  const notices = [
    noticeOf(timing),
    ...unfilmed,
    missed,
    ...filmNotices(job, video),
    dialogueNotice(job, timing),
    ...mending.notices
  ].filter((told) => told !== undefined)
  const spoken = Effect.fnUntraced(function* (chosen: Job) {
    const read = yield* wordsOf(chosen, script, batch, reading)
    const kept = yield* filmedOf(chosen, script, read, video, timing.moved)
    return planUtterances((yield* castLines(chosen, kept.words, batch, pools)).lines, rules).uses
  })
  const bilingual = yield* choicesOf(job, script, spoken)
  return {
    job: cast,
    script,
    words,
    ...mending,
    plain: { lines, uses },
    video,
    reel,
    timing,
    notices,
    bilingual,
    choices
  } satisfies JobPlan
})

const rulesOf = (job: Job, script: Script, { profileOf, stated }: Batch): UtteranceRules => ({
  profileOf,
  cuts: stated?.cuts,
  unit: job.unit,
  nativeInput: job.nativeInput,
  timed: script._tag === "Subtitle",
  aligns: job.language === undefined || espeakVoiceOf(job.language) !== undefined,
  ...(job.language === undefined ? {} : { language: job.language })
})

/** A job's lines with its overrides applied, and as they are before single cues are changed. */
interface MendedScript extends OverriddenScript {
  readonly shaped: OverridableScript
}

/** The job's lines with its overrides applied. */
const mendedBy = (
  job: Job,
  script: Script,
  planned: OverridableScript,
  batch: Batch
): Either.Either<MendedScript, InputRejected> => {
  const { overrides = {}, recast = [] } = job
  const [textOf, rules] = [textsOf(script), rulesOf(job, script, batch)]
  return shapeLines(planned, overrides, recast, textOf, rules).pipe(
    Either.flatMap((shaped) =>
      Either.map(applyOverrides(shaped, overrides, textOf, rules), (mended) => ({ ...mended, shaped }))
    ),
    Either.mapLeft((faults) =>
      rejectInputs(
        overridesPath(batch.manifest),
        Array.map(faults, (fault) => `job ${job.id}: ${fault}`)
      )
    )
  )
}

/** Plans a job with other overrides, without reading its files again. Left: the overrides that cannot be applied. */
export const withOverrides = (
  plan: JobPlan,
  overrides: CueOverrides,
  batch: Batch
): Either.Either<JobPlan, InputRejected> => {
  const job = { ...plan.job, overrides }
  return Either.map(mendedBy(job, plan.script, plan.plain ?? plan, batch), ({ lines, uses, shaped }) => ({
    ...plan,
    job,
    lines,
    uses,
    shaped
  }))
}

/** Replaces jobs of a planned batch by the same jobs, planned differently. */
export const withPlans = (
  { batch, jobs, digests, notices, barred }: BatchPlan,
  changed: ReadonlyArray<JobPlan>
): BatchPlan => {
  const byId = new Map(changed.map((plan) => [plan.job.id, plan]))
  const all = Array.map(jobs, (plan) => byId.get(plan.job.id) ?? plan)
  const overrides = new Map(all.map(({ job }) => [job.id, job.overrides]))
  const loaded = Array.map(batch.jobs, (job): Job => {
    const own = overrides.get(job.id)
    return own === undefined ? job : { ...job, overrides: own }
  })
  return {
    ...together({ ...batch, jobs: loaded }, all, digests),
    notices,
    ...(barred === undefined ? {} : { barred })
  }
}

const jobNotices = ({ job, notices }: JobPlan): ReadonlyArray<string> =>
  notices.map((notice) => `job ${job.id}: ${notice}`)

const scriptNotices = ({ job, script, words, uses }: JobPlan): ReadonlyArray<string> => [
  ...[...script.notices, ...words.notices].map(({ line, message }) => `${job.inputName}:${line}: ${message}`),
  ...(job.unit === "sentence" && uses.some(({ utterance }) => utterance.input === "srt")
    ? [`job ${job.id}: ${cueByCue}`]
    : [])
]

const cueByCue =
  "unit: sentence has no effect on text sent as SRT, which has one entry per cue; set nativeInput: text to speak whole sentences"

/** A job whose lines have their voices. */
interface CastLines extends CastJob {
  readonly lines: ReadonlyArray<Line>
}

/** Casts a job's lines. Left: a line without a voice. */
const castLines = (
  job: Job,
  words: Words,
  { profileOf }: Batch,
  pools: PoolCast
): Either.Either<CastLines, InputRejected> => {
  const cast = applyCast(job, words, pools)
  return assignVoices(words.cues, (speaker, overrides) =>
    castingOf(cast.job, speaker, overrides, profileOf)
  ).pipe(
    Either.mapBoth({
      onLeft: (uncast) => rejectInput(job.inputName, `job ${job.id}: ${uncast.message}`),
      onRight: (lines) => ({ ...cast, lines })
    })
  )
}

/** Checks the controls of the utterances that were not sent before. Left: those that a provider does not accept. */
const checkControls = (
  { id }: Job,
  uses: ReadonlyArray<UtteranceUse>,
  { profileOf, manifest, stated }: Batch
): Either.Either<void, InputRejected> => {
  const unsent = uses.filter(({ utterance }) => stated?.cuts?.isSent(utterance.key) !== true)
  const faults = Array.dedupe(unsent.map(({ utterance }) => utterance.casting))
    .flatMap((casting) => controlFaults(casting, profileOf(casting.provider)))
    .map((fault) => `job ${id}: ${fault}`)
  return Array.isNonEmptyArray(faults) ? Either.left(rejectInputs(manifest, faults)) : Either.void
}
