/**
 * Whether a batch stands just as its last run left it. A run that left nothing undone keeps a record of all that
 * decided it and of all that it made; where the next one finds every bit of that the same, there is nothing to be read,
 * planned or said. In the slightest doubt a batch counts as changed: it is planned then, which costs time and nothing
 * else.
 */
import { createHash } from "node:crypto"
import { FileSystem } from "@effect/platform"
import { Array, Effect, Option, Schema } from "effect"
import { ProviderId } from "../../domain/values/Ids.ts"
import { Metrics } from "../../domain/report/Report.ts"
import { builtOf } from "../../domain/values/Version.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { CompletedBatches } from "../../store/tables/CompletedBatches.ts"
import { modifiedAt, filesMadeIn } from "../deliver/DeliveryFingerprint.ts"
import { inputBytes } from "../load/InputFile.ts"
import type { Batch, Job } from "../load/Job.ts"
import type { JobResult } from "../report/JobResult.ts"
import type { BatchPlan } from "../plan/BatchPlan.ts"

/** A batch that stands as its last run left it. */
export interface NoopBatch {
  readonly batch: Batch
  /** Every job as delivered before, in the batch's order. */
  readonly results: ReadonlyArray<JobResult>
  /** How many utterances it has. */
  readonly utterances: number
  /** What was mended or passed over in its scripts. */
  readonly notices: ReadonlyArray<string>
}

const Record = Schema.Struct({
  /** The digest of all that must be the same. */
  standing: Schema.String,
  /** Whose profiles are part of it. */
  providers: Schema.Array(ProviderId),
  utterances: Schema.Int,
  notices: Schema.Array(Schema.String),
  jobs: Schema.Array(Schema.Struct({ metrics: Metrics, looks: Schema.Int }))
})
const RecordText = Schema.parseJson(Record)

/**
 * A digest of what a batch's files hold, taken before any is used: one that is changed meanwhile is noticed by the next
 * run.
 */
export const digestSources = Effect.fn("Unchanged.sources")(function* ({ jobs }: Batch) {
  const fs = yield* FileSystem.FileSystem
  // Whoever needs the file will say what is wrong with it.
  const unread = () => "unread"
  const written = (path: string) =>
    inputBytes(path, path).pipe(Effect.map(checksumOf), Effect.orElseSucceed(unread))
  // A film is too long to be read whole: its size and when it was changed must do.
  const filmed = (path: string) =>
    fs.stat(path).pipe(
      Effect.map(({ size, mtime }) => `${size} ${Option.getOrNull(mtime)?.getTime()}`),
      Effect.orElseSucceed(unread)
    )
  const found = yield* Effect.all(
    jobs.flatMap(({ input, sheet, video }) => [
      written(input),
      ...(sheet === undefined ? [] : [written(sheet.path)]),
      ...(video === undefined ? [] : [filmed(video.path)])
    ])
  )
  return digestOf(found)
})

/** The batch as its last run left it; none where anything is different, or no run has left it done. */
export const unchangedSince = Effect.fn("Unchanged.since")(function* (batch: Batch, sources: string) {
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

/** Remembers a batch that a run, which began with these sources, has left without anything undone. */
export const rememberCompletion = Effect.fn("Unchanged.remember")(function* (
  { batch, utterances, notices }: BatchPlan,
  sources: string,
  results: ReadonlyArray<JobResult>
) {
  // Second takes are asked for by what the first came to, which only a plan knows.
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

/** What was delivered of a job last. */
interface Made {
  readonly job: Job
  readonly digest: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly bytes: number }>
}

/** The batch's jobs with what was delivered of each; those of which nothing was are left out. */
const deliveredBy = Effect.fnUntraced(function* ({ jobs, out }: Batch) {
  const deliveries = yield* Deliveries
  const all = yield* deliveries.all(out)
  return jobs.flatMap((job): ReadonlyArray<Made> => {
    const delivery = all.get(job.id)
    return delivery === undefined ? [] : [{ job, ...delivery }]
  })
})

/**
 * The digest of all that a batch stands on; none where a job was not delivered, or a clip or a file is not as it was
 * written.
 */
const standingOf = Effect.fnUntraced(function* (
  { profileOf, ...batch }: Batch,
  sources: string,
  providers: ReadonlyArray<ProviderId>,
  made: ReadonlyArray<Made>
) {
  const changed = yield* Effect.forEach(made, (delivery) => modifiedAt(batch.out, delivery))
  const clips = yield* Effect.forEach(batch.jobs, ({ id }) => clipsOf(batch.key, id))
  if (made.length < batch.jobs.length) return Option.none<string>()
  return Option.map(Option.all([Option.all(changed), Option.all(clips)]), ([times, sounds]) =>
    digestOf([
      // Another Node may cut words elsewhere.
      builtOf,
      process.version,
      batch,
      // What a character costs changes nothing that was made.
      providers.map(profileOf).map(({ creditsPerCharacter: _, ...profile }) => profile),
      sources,
      made.map(({ digest, files }) => [digest, files]),
      times,
      sounds
    ])
  )
})

/**
 * A digest of the clips that a job uses; none where one is missing or damaged. Page by page: a job may have any number.
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

const digestOf = (value: unknown): string => checksumOf(JSON.stringify(value))
