/**
 * Checks whether a batch is unchanged since its last finished run. Such a run records a digest of all its inputs and
 * outputs. If the next run finds the same digest, it does not read, plan or speak anything. In doubt, a batch counts as
 * changed: planning it then costs time and nothing else.
 */
import { createHash } from "node:crypto"
import { FileSystem } from "@effect/platform"
import { Array, Effect, Option, Schema } from "effect"
import { ProviderId } from "../../domain/values/Ids.ts"
import { Metrics } from "../../domain/report/Report.ts"
import { builtOf } from "../../domain/values/Version.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { CompletedBatches } from "../../store/tables/CompletedBatches.ts"
import { filesMadeIn } from "../deliver/DeliveryRecord.ts"
import { modifiedAt } from "../place/JobFingerprint.ts"
import { readInput, type ReadInput } from "../load/InputFile.ts"
import type { Batch, Job } from "../load/Job.ts"
import type { JobResult } from "../report/JobResult.ts"
import type { BatchPlan } from "../plan/BatchPlan.ts"

/** A batch that is unchanged since its last run. */
export interface NoopBatch {
  readonly batch: Batch
  /** The results of all jobs as delivered before, in the batch's order. */
  readonly results: ReadonlyArray<JobResult>
  /** Number of utterances. */
  readonly utterances: number
  /** Repairs and skipped parts of its scripts. */
  readonly notices: ReadonlyArray<string>
}

const Record = Schema.Struct({
  /** The digest of everything that must be unchanged. */
  standing: Schema.String,
  /** Providers whose profiles are part of the digest. */
  providers: Schema.Array(ProviderId),
  utterances: Schema.Int,
  notices: Schema.Array(Schema.String),
  jobs: Schema.Array(Schema.Struct({ metrics: Metrics, looks: Schema.Int }))
})
const RecordText = Schema.parseJson(Record)

/**
 * Returns a digest of the contents of a batch's input files. Taken before any is used, so that the next run notices a
 * file that changed during this one.
 */
export const digestSources = Effect.fn("NoopCheck.digestSources")(function* (
  { jobs }: Batch,
  read: ReadInput = readInput
) {
  const fs = yield* FileSystem.FileSystem
  // The step that needs the file reports why it cannot be read.
  const unread = () => "unread"
  const written = (path: string) =>
    read(path, path).pipe(
      Effect.map(({ digest }) => digest),
      Effect.orElseSucceed(unread)
    )
  // A film takes too long to read, so its size and modification time are compared instead.
  const filmed = (path: string) =>
    fs.stat(path).pipe(
      Effect.map(({ size, mtime }) => `${size} ${Option.getOrNull(mtime)?.getTime()}`),
      Effect.orElseSucceed(unread)
    )
  const found = yield* Effect.all(
    jobs.flatMap(({ input, sheet, video, background }) => [
      written(input),
      ...(sheet === undefined ? [] : [written(sheet.path)]),
      ...(video === undefined ? [] : [filmed(video.path)]),
      ...(background === undefined ? [] : [filmed(background.path)])
    ])
  )
  return digestOf(found)
})

/** Returns the batch as its last run left it; none if anything has changed, or if no run has finished it. */
export const unchangedSince = Effect.fn("NoopCheck.unchangedSince")(function* (
  batch: Batch,
  sources: string
) {
  const finished = yield* CompletedBatches
  const read = Option.flatMap(yield* finished.record(batch.key), Schema.decodeOption(RecordText))
  if (Option.isNone(read)) return Option.none<NoopBatch>()
  const { standing, providers, utterances, notices, jobs } = read.value
  const made = yield* deliveredBy(batch)
  const now = yield* standingOf(batch, sources, providers, made)
  if (!Option.contains(now, standing)) return Option.none<NoopBatch>()
  const results = Array.zipWith(made, jobs, ({ job, ...delivery }, figures): JobResult => ({
    job,
    status: "delivered",
    unchanged: true,
    metrics: figures.metrics,
    last: figures.metrics,
    looks: figures.looks,
    files: filesMadeIn(delivery)
  }))
  return Option.some<NoopBatch>({ batch, results, utterances, notices })
})

/** Records a batch that a run has finished. `sources` is the digest from the start of that run. */
export const rememberCompletion = Effect.fn("NoopCheck.rememberCompletion")(function* (
  { batch, utterances, notices }: BatchPlan,
  sources: string,
  results: ReadonlyArray<JobResult>
) {
  // Whether retakes are needed depends on the first takes, which only a plan knows.
  if (batch.jobs.some(({ retake }) => retake)) return
  const finished = yield* CompletedBatches
  const jobs = results.flatMap(({ status, metrics, looks }) =>
    status === "delivered" && metrics !== undefined ? [{ metrics, looks }] : []
  )
  const providers = Array.dedupe(utterances.map(({ casting }) => casting.provider))
  const standing = yield* standingOf(batch, sources, providers, yield* deliveredBy(batch))
  if (jobs.length < batch.jobs.length || Option.isNone(standing)) return
  const record = { standing: standing.value, providers, utterances: utterances.length, notices, jobs }
  yield* finished.remember(batch.key, yield* Effect.orDie(Schema.encode(RecordText)(record)))
})

/** The last delivery of a job. */
interface Made {
  readonly job: Job
  readonly digest: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly bytes: number }>
}

/** Pairs the batch's jobs with their last deliveries. Jobs without one are left out. */
const deliveredBy = Effect.fnUntraced(function* ({ jobs, out }: Batch) {
  const deliveries = yield* Deliveries
  const all = yield* deliveries.all(out)
  return jobs.flatMap((job): ReadonlyArray<Made> => {
    const delivery = all.get(job.id)
    return delivery === undefined ? [] : [{ job, ...delivery }]
  })
})

/**
 * Returns the digest of all inputs on which a batch depends. Returns none if a job was not delivered, or if a clip or
 * file was changed.
 */
const standingOf = Effect.fnUntraced(function* (
  { profileOf, stated: _stated, remarks: _remarks, ...batch }: Batch,
  sources: string,
  providers: ReadonlyArray<ProviderId>,
  made: ReadonlyArray<Made>
) {
  const changed = yield* Effect.forEach(made, (delivery) => modifiedAt(batch.out, delivery))
  const clips = yield* Effect.forEach(batch.jobs, ({ id }) => clipsOf(batch.key, id))
  if (made.length < batch.jobs.length) return Option.none<string>()
  return Option.map(Option.all([Option.all(changed), Option.all(clips)]), ([times, sounds]) =>
    digestOf([
      // Another version of Node may break words differently.
      builtOf,
      process.version,
      batch,
      // Prices do not affect results.
      providers.map((provider) => {
        const { creditsPerCharacter: _price, ...profile } = profileOf(provider)
        return profile
      }),
      sources,
      made.map(({ digest, files }) => [digest, files]),
      times,
      sounds
    ])
  )
})

/**
 * Returns a digest of the clips that a job uses; none if one is missing or damaged. Reads page by page, since a job may
 * have any number of clips.
 */
const clipsOf = Effect.fnUntraced(function* (batch: string, job: Job["id"]) {
  const finished = yield* CompletedBatches
  const folder = yield* ClipFolder
  const hash = createHash("sha256")
  let page = yield* finished.usedClips(batch, job, "")
  while (Array.isNonEmptyReadonlyArray(page)) {
    const sizes = new Map(page.map(({ key, bytes }) => [key, bytes ?? -1]))
    if ((yield* folder.damaged(sizes)).length > 0) return Option.none<string>()
    hash.update(JSON.stringify(page))
    page = yield* finished.usedClips(batch, job, Array.lastNonEmpty(page).key)
  }
  return Option.some(hash.digest("hex"))
})
