/** What decides a job's files, and which files were made of it last. */
import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { basename, dirname, join, relative, sep } from "node:path"
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect, Iterable, Option } from "effect"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { JobId, UtteranceKey } from "../../domain/values/Ids.ts"
import { timelineNames } from "../../domain/manifest/Outputs.ts"
import { Deliveries, type Delivery } from "../../store/tables/Deliveries.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"

/** Raised with a change of what the same input would sound or look like, so that jobs are delivered anew. */
const edition = 8

/** Everything that decides what a job's files are. */
export const fingerprintOf = Effect.fnUntraced(function* (
  { job, script, words, lines, uses, video, reel }: JobPlan,
  clips: ReadonlyMap<UtteranceKey, Clip>,
  out: string
) {
  const fs = yield* FileSystem.FileSystem
  const film =
    job.video === undefined
      ? undefined
      : Option.getOrUndefined(
          yield* Effect.option(
            Effect.map(fs.stat(job.video.path), ({ size, mtime }) => [
              `${size}`,
              Option.getOrUndefined(mtime)
            ])
          )
        )
  const hash = createHash("sha256")
  const { input: _input, video: _video, ...settings } = job
  // Timelines name the film by its way from the job's folder.
  const way =
    job.video !== undefined && timelineNames.some((name) => job.outputs.includes(name))
      ? relative(join(out, job.id), job.video.path)
      : undefined
  hash.update(JSON.stringify([edition, settings, video?.duration, film, reel, way]))
  const list = (elements: Iterable<unknown>) => {
    let before = "["
    for (const element of elements) {
      hash.update(before + JSON.stringify(element))
      before = ","
    }
    hash.update(before === "[" ? "[]" : "]")
  }
  list(script._tag === "Subtitle" ? script.cues : script.blocks)
  list(
    Iterable.map(words.cues, (cue) =>
      "why" in cue ? [cue.line, cue.why] : "skipped" in cue ? cue.skipped : ""
    )
  )
  list(lines)
  for (const { utterance, lines: refs } of uses) hash.update(JSON.stringify([utterance.key, refs]))
  list(Iterable.map([...clips.keys()].sort(), (key) => [key, clips.get(key)?.checksum]))
  return hash.digest("hex")
})

/** The reports that stand beside a job's files. */
export const reportNames: ReadonlyArray<string> = ["report.json", "report.html"]

/** The files that a delivery made, its reports aside; relative to the folder of results. */
export const filesMadeIn = ({ files }: Pick<Delivery, "files">): ReadonlyArray<string> =>
  files.flatMap(({ path }) => (reportNames.includes(basename(path)) ? [] : [path]))

/** Remembers a delivery and the sizes of its files. */
export const rememberFiles = Effect.fnUntraced(function* (
  out: string,
  { job }: JobPlan,
  digest: string,
  files: ReadonlyArray<string>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const deliveries = yield* Deliveries
  const sizes = yield* Effect.option(
    Effect.forEach(files, (file) =>
      Effect.map(fs.stat(file), ({ size }) => ({ path: path.relative(out, file), bytes: Number(size) }))
    )
  )
  // A file that is gone already makes it no delivery to remember: the next run makes it again.
  yield* Option.match(sizes, {
    onNone: () => deliveries.forget(out, job.id),
    onSome: (sized) => deliveries.remember(out, job.id, { digest, files: sized })
  })
})

/**
 * Takes away what the delivery before has left among a job's clips and stems, and further decision lists, unless it was
 * changed since: who lays all files of such a folder into a film would have a line twice that has moved. Whatever else
 * it has left, in formats that are no longer asked for, stays: it may lie in somebody's project. Returns what does,
 * files and folders by name. `files` are those of the delivery now.
 */
export const removeOutdated = Effect.fnUntraced(function* (
  out: string,
  job: JobId,
  before: Delivery,
  files: ReadonlyArray<string>
) {
  const fs = yield* FileSystem.FileSystem
  const made = new Set(files.map((file) => relative(out, file)))
  const folders = new Set([...made].map((file) => dirname(file)).filter((folder) => folder !== job))
  const asWritten = ({ path, bytes }: Delivery["files"][number]) =>
    Effect.orElseSucceed(
      Effect.map(fs.stat(join(out, path)), ({ size }) => Number(size) === bytes),
      () => false
    )
  const left = yield* Effect.filter(
    before.files.filter(({ path }) => !made.has(path) && !reportNames.includes(basename(path))),
    asWritten
  )
  const isPart = (path: string) => isFurtherList(job, path) && made.has(join(job, `${job}.edl`))
  const [staying, going] = Array.partition(left, ({ path }) => folders.has(dirname(path)) || isPart(path))
  yield* Effect.forEach(going, ({ path }) => Effect.ignore(fs.remove(join(out, path))), { discard: true })
  return Array.dedupe(staying.map(({ path }) => relative(job, path).split(sep)[0] ?? path))
})

/** Whether a file is a further list of a decision list that has more events than fit into one: `name-2.edl`. */
const isFurtherList = (job: JobId, path: string): boolean =>
  dirname(path) === job && path.startsWith(join(job, `${job}-`)) && /-\d+\.edl$/u.test(path)

/** Whether every file of a delivery is there as it was written. */
export const allFilesPresent = (out: string, delivery: Delivery): Effect.Effect<boolean> =>
  Effect.map(modifiedAt(out, delivery), Option.isSome)

/**
 * When each file of a delivery was last changed, in milliseconds since 1970; none where one is missing or has another
 * size. Synchronous: a job may deliver a file a cue, and a thousand looks take a few milliseconds here, as effects a
 * hundred.
 */
export const modifiedAt = (
  out: string,
  { files }: Delivery
): Effect.Effect<Option.Option<ReadonlyArray<number>>> =>
  Effect.option(
    Effect.try(() =>
      files.map(({ path, bytes }) => {
        const { size, mtimeMs } = statSync(join(out, path))
        if (size !== bytes) throw new Error(`${path} has ${size} bytes`)
        return mtimeMs
      })
    )
  )
