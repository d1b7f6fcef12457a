/** Writes files atomically: to a `.part` file beside the destination, which is then renamed. */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { DiskFull, Unwritable } from "./FfmpegErrors.ts"

/**
 * Lets `write` fill a `.part` file for each path, and renames them all if it succeeds. Otherwise removes them.
 */
export const writeWholeFiles = <A, E, R>(
  paths: ReadonlyArray<string>,
  write: (partOf: (path: string) => string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DiskFull | Unwritable, R> =>
  Effect.acquireUseRelease(
    Effect.forEach(paths, (path) => attempt(path, () => mkdir(dirname(path), { recursive: true })), {
      discard: true
    }),
    () =>
      write(partOf).pipe(
        Effect.tap(() =>
          Effect.uninterruptible(
            Effect.forEach(paths, (path) => attempt(path, () => rename(partOf(path), path)), {
              discard: true
            })
          )
        )
      ),
    () => Effect.forEach(paths, (path) => removed(partOf(path)), { discard: true })
  )

/** The path of a result while it is incomplete. */
const partOf = (path: string): string => `${path}.part`

/** Removes a `.part` file. If that fails, logs a warning instead of failing. */
const removed = (path: string): Effect.Effect<void> =>
  attempt(path, () => rm(path, { force: true })).pipe(
    Effect.catchAll((failure) => Effect.logWarning(`could not remove a temporary file: ${failure.message}`))
  )

/** Runs `work` with a temporary folder, which is removed afterwards. */
export const inTemporaryFolder = <A, E, R>(
  work: (folder: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DiskFull | Unwritable, R> =>
  Effect.acquireUseRelease(
    attempt(tmpdir(), () => mkdtemp(join(tmpdir(), "dubwright-"))),
    work,
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
