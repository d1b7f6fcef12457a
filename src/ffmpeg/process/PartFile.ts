/** Writes files atomically: to a `.part` file beside the destination, which is then renamed. */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { DiskFull, Unwritable } from "./FfmpegErrors.ts"

/**
 * Prepares a `.part` file for each path, to be filled by the caller. Returns the effect that renames them all. Those
 * that were not renamed are removed when the scope closes.
 */
export const partFiles = (paths: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.forEach(paths, (path) => attempt(path, () => mkdir(dirname(path), { recursive: true })), {
      discard: true
    }),
    () => Effect.forEach(paths, (path) => removed(partOf(path)), { discard: true })
  ).pipe(
    Effect.as(
      Effect.uninterruptible(
        Effect.forEach(paths, (path) => attempt(path, () => rename(partOf(path), path)), { discard: true })
      )
    )
  )

/** The path of a result while it is incomplete. */
export const partOf = (path: string): string => `${path}.part`

/** Removes a `.part` file. If that fails, logs a warning instead of failing. */
const removed = (path: string): Effect.Effect<void> =>
  attempt(path, () => rm(path, { force: true })).pipe(
    Effect.catchAll((failure) => Effect.logWarning(`could not remove a temporary file: ${failure.message}`))
  )

/** A temporary folder, which is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.suspend(() => attempt(tmpdir(), () => mkdtemp(join(tmpdir(), "dubwright-")))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** Runs an asynchronous file operation; its error names `path`. */
export const attempt = <A>(path: string, step: () => Promise<A>): Effect.Effect<A, DiskFull | Unwritable> =>
  Effect.tryPromise({ try: step, catch: (cause) => writeRefusal(path, cause) })

/** Runs a synchronous file operation; its error names `path`. */
export const attempted = <A>(path: string, step: () => A): Effect.Effect<A, DiskFull | Unwritable> =>
  Effect.try({ try: step, catch: (cause) => writeRefusal(path, cause) })

/** Maps a file system error: ENOSPC and EDQUOT are a full disk. */
export const writeRefusal = (path: string, cause: unknown): DiskFull | Unwritable =>
  hasCode(cause, "ENOSPC") || hasCode(cause, "EDQUOT")
    ? new DiskFull({ path })
    : new Unwritable({ path, cause })

const hasCode = (cause: unknown, code: string): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === code
