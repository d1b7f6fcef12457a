/** Passes a job's plan to the worker that delivers it: a file in the share, with portable paths. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Predicate, Schema } from "effect"
import { Narration, Subtitle } from "../../domain/speech/Cue.ts"
import { FrameRate } from "../../domain/time/FrameRate.ts"
import type { SyncReport } from "../../domain/report/FilmSync.ts"
import { ClipHearing } from "../../domain/speech/Hearing.ts"
import { TimelineFilm } from "../../domain/speech/Timeline.ts"
import { Line } from "../../domain/speech/Line.ts"
import { FitLimits } from "../../domain/speech/Placement.ts"
import { LineRewriting } from "../../domain/speech/Rewriting.ts"
import { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { UtteranceKey } from "../../domain/values/Ids.ts"
import { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import type { Job } from "../../pipeline/load/Job.ts"
import type { SourceTimes } from "../../pipeline/sync/RetimedScript.ts"
import type { JobPlan } from "../../pipeline/plan/BatchPlan.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { versionMismatch } from "./FleetErrors.ts"
import { edition, SentFile } from "./JobPayloads.ts"
import type { Share } from "./Share.ts"

/** Everything that a delivery needs. */
export interface PlannedDelivery {
  readonly plan: JobPlan
  /** Second takes of its lines. */
  readonly takes: ReadonlyArray<UtteranceUse>
  /** The output folder; absolute. */
  readonly out: string
  /** The utterances known to have failed permanently when the delivery is dispatched. */
  readonly failed: ReadonlyArray<UtteranceRecord>
  /** Files that the worker fetches first. */
  readonly inputs: ReadonlyArray<SentFile>
}

// The content is not validated. The file's name is its checksum, so a coordinator of this version has written it.
const asWritten = <A extends object>() => Schema.declare((value): value is A => Predicate.isRecord(value))

const { path: _path, ...filmFields } = TimelineFilm.fields
const Film = Schema.Struct(filmFields)

const Kept = Schema.Struct({
  edition: Schema.Literal(edition),
  out: Schema.String,
  failed: Schema.Array(UtteranceRecord),
  inputs: Schema.Array(SentFile),
  takes: Schema.Array(UtteranceUse),
  plan: Schema.Struct({
    job: asWritten<Job>(),
    script: Schema.Union(Subtitle, Narration),
    words: asWritten<JobPlan["words"]>(),
    lines: Schema.Array(Line),
    uses: Schema.Array(UtteranceUse),
    video: Schema.NullOr(MediaInfo),
    reel: Schema.Struct({
      frameRate: FrameRate,
      startFrame: Schema.Number,
      width: Schema.Number,
      height: Schema.Number,
      film: Schema.optionalWith(Film, { exact: true })
    }),
    timing: Schema.optional(
      Schema.Struct({
        moved: Schema.ReadonlyMap({ key: Schema.Int, value: asWritten<SourceTimes>() }),
        sync: Schema.optionalWith(asWritten<SyncReport>(), { exact: true })
      })
    ),
    notices: Schema.Array(Schema.String),
    hearings: Schema.optionalWith(Schema.Array(Schema.Tuple(UtteranceKey, ClipHearing)), { exact: true }),
    rewritings: Schema.optionalWith(Schema.Array(LineRewriting), { exact: true })
  })
})

const writeKept = Schema.encodeSync(Schema.parseJson(Kept))
const readKept = Schema.decodeOption(Schema.parseJson(Kept))

/** Returns a delivery's id, derived from its output folder and job. So two machines never write to one job's folder. */
export const deliveryId = (share: Share["Type"], out: string, { job }: JobPlan): string =>
  digestOf([share.files.portable(out), job.id])

/** The films and backgrounds of a job, and its last report. */
const inputsOf = ({ plan: { job }, out }: Omit<PlannedDelivery, "inputs">): ReadonlyArray<string> => {
  const report = join(out, job.id, "report.json")
  return [...filmsOf(job), ...(existsSync(report) ? [report] : [])]
}

/** The large files that a job's delivery reads. */
export const filmsOf = ({ video, background }: Job): ReadonlyArray<string> =>
  [video, background].flatMap((file) => file?.path ?? [])

/** Writes a plan to the share and returns its name. Its inputs are there, too. */
export const keepPlan = Effect.fnUntraced(function* (
  share: Share["Type"],
  delivery: Omit<PlannedDelivery, "inputs">
) {
  const { plan, takes, out, failed } = delivery
  const inputs = yield* share.files.sendInputs(inputsOf(delivery))
  return yield* share.keep(
    writeKept({
      edition,
      out: share.files.portable(out),
      failed,
      inputs,
      takes,
      plan: { ...plan, job: movedBy(share.files.portable, plan.job), video: plan.video ?? null }
    })
  )
})

/** Reads a plan from the share; fails if this version cannot read it. */
export const keptPlan = (share: Share["Type"], name: string) =>
  Effect.gen(function* () {
    const read = readKept(yield* share.kept(name))
    if (Option.isNone(read)) return yield* versionMismatch(share.name, `fleet/${name}.json`)
    const { plan, takes, out, failed, inputs } = read.value
    const job = { ...movedBy(share.files.local, plan.job), fit: FitLimits.make(plan.job.fit) }
    return {
      plan: { ...plan, job, video: plan.video ?? undefined },
      takes,
      out: share.files.local(out),
      failed,
      inputs
    }
  })

const movedBy = (moved: (path: string) => string, job: Job): Job => ({
  ...job,
  input: moved(job.input),
  ...(job.video === undefined ? {} : { video: { ...job.video, path: moved(job.video.path) } }),
  ...(job.background === undefined
    ? {}
    : { background: { ...job.background, path: moved(job.background.path) } }),
  ...(job.sheet === undefined ? {} : { sheet: { ...job.sheet, path: moved(job.sheet.path) } })
})
