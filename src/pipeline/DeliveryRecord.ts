/** What decides a job's files, and which files were made of it last. */
import { createHash } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option } from "effect"
import type { Clip } from "../domain/Clip.ts"
import type { UtteranceKey } from "../domain/Ids.ts"
import { Deliveries, type Delivery } from "../store/Deliveries.ts"
import type { JobPlan } from "./Plan.ts"

/** Raised with a change of what the same input would sound or look like, so that jobs are delivered anew. */
const edition = 2

/** Everything that decides what a job's files are. */
export const digestOf = Effect.fnUntraced(function* (
  { job, script, words, lines, uses, video, reel }: JobPlan,
  clips: ReadonlyMap<UtteranceKey, Clip>
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
  hash.update(JSON.stringify([edition, settings, video?.duration, film, reel]))
  hash.update(JSON.stringify(script._tag === "Subtitle" ? script.cues : script.blocks))
  hash.update(JSON.stringify(words.cues.map((cue) => ("skipped" in cue ? cue.skipped : ""))))
  hash.update(JSON.stringify(lines))
  for (const { utterance, lines: refs } of uses) {
    hash.update(JSON.stringify([utterance.key, refs]))
  }
  hash.update(JSON.stringify([...clips.values()].map(({ key, checksum }) => [key, checksum]).sort()))
  return hash.digest("hex")
})

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
  // A file that is gone already is no delivery to remember: the next run makes it again.
  if (Option.isSome(sizes)) yield* deliveries.remember(out, job.id, { digest, files: sizes.value })
})

/** Whether every file of a delivery is there as it was written. */
export const allThere = Effect.fnUntraced(function* (out: string, { files }: Delivery) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found = yield* Effect.forEach(files, (file) =>
    Effect.option(Effect.map(fs.stat(path.join(out, file.path)), ({ size }) => Number(size) === file.bytes))
  )
  return found.every((same) => Option.getOrElse(same, () => false))
})
