/** Fingerprint of everything that decides a job's files, and whether the files of a delivery are still there. */
import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { join, relative } from "node:path"
import { FileSystem } from "@effect/platform"
import { Effect, Iterable, Option } from "effect"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { timelineNames } from "../../domain/manifest/Outputs.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"

/** Raise this when the same input would sound or look different, so that jobs are delivered again. */
const edition = 16

/** Size and modification time of a file that takes too long to read; undefined if there is none. */
export const sizeAndTimeOf = Effect.fnUntraced(function* (file: { readonly path: string } | undefined) {
  if (file === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  return yield* fs.stat(file.path).pipe(
    Effect.map(({ size, mtime }) => [`${size}`, Option.getOrUndefined(mtime)]),
    Effect.orElseSucceed(() => undefined)
  )
})

/** Returns a SHA-256 of everything that decides a job's files. */
export const fingerprintOf = Effect.fnUntraced(function* (
  { job, script, words, lines, uses, video, reel, timing, hearings, rewritings }: JobPlan,
  clips: ReadonlyMap<UtteranceKey, Clip>,
  out: string
) {
  const film = yield* sizeAndTimeOf(job.video)
  const bed = yield* sizeAndTimeOf(job.background)
  const hash = createHash("sha256")
  // Includes the heard and proposed words, but not the recogniser or rewriter, the approvals, or the job's place in a
  // season.
  const {
    input: _input,
    film: _film,
    video: _video,
    listen: _listen,
    rewrite: _rewrite,
    approvals: _approvals,
    episode: _episode,
    background,
    separate,
    ...settings
  } = job
  const under = [
    ...(background === undefined ? [] : [{ gain: background.gain, duck: background.duck, state: bed }]),
    ...(separate === undefined
      ? []
      : [{ command: separate.command, gain: separate.gain, duck: separate.duck }])
  ]
  // Timelines refer to the film and the background by their paths relative to the job's folder.
  const ways = [job.video, background].flatMap((file) =>
    file !== undefined && timelineNames.some((name) => job.outputs.includes(name))
      ? [relative(join(out, job.id), file.path)]
      : []
  )
  hash.update(
    JSON.stringify([edition, settings, video?.duration, film, reel, ways, ...timesOf(timing), ...under])
  )
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
  if (hearings !== undefined) list(hearings)
  if (rewritings !== undefined && rewritings.length > 0) list(rewritings)
  list(Iterable.map([...clips.keys()].sort(), (key) => [key, clips.get(key)?.checksum]))
  return hash.digest("hex")
})

/** The report's part about the comparison with the film; nothing for a job without one. */
const timesOf = (timing: JobPlan["timing"]): ReadonlyArray<unknown> =>
  timing === undefined || (timing.sync === undefined && timing.moved.size === 0)
    ? []
    : [timing.sync, [...timing.moved]]

/** Whether every file of a delivery exists with its recorded size. */
export const allFilesPresent = (out: string, delivery: Delivery): Effect.Effect<boolean> =>
  Effect.map(modifiedAt(out, delivery), Option.isSome)

/**
 * When each file of a delivery was last modified, in milliseconds since 1970; none if one is missing or has another
 * size. Synchronous because a job may have one file per cue: a thousand calls take a few milliseconds; as
 * effects.
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
