/** Results that appear whole or not at all: written beside their place, then renamed. */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { DiskFull, Unwritable } from "./FfmpegErrors.ts"

/**
 * Gives every path its `.part` file to be written by `write`, and renames them when it has succeeded. Otherwise none of
 * them stays.
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

/** Where a result stands until it is whole. */
const partOf = (path: string): string => `${path}.part`

/** Removes what was begun; a leftover that will not go is worth a word, but no failure of its own. */
const removed = (path: string): Effect.Effect<void> =>
  attempt(path, () => rm(path, { force: true })).pipe(
    Effect.catchAll((failure) => Effect.logWarning(`a leftover stays: ${failure.message}`))
  )

/** Gives `work` a folder of its own, which is removed afterwards. */
export const inTemporaryFolder = <A, E, R>(
  work: (folder: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DiskFull | Unwritable, R> =>
  Effect.acquireUseRelease(
    attempt(tmpdir(), () => mkdtemp(join(tmpdir(), "dubwright-"))),
    work,
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )

/** A step with the file system, its refusal told by the path it concerns. */
export const attempt = <A>(path: string, step: () => Promise<A>): Effect.Effect<A, DiskFull | Unwritable> =>
  Effect.tryPromise({ try: step, catch: (cause) => writeRefusal(path, cause) })

/** The same for a step that is done at once. */
export const attempted = <A>(path: string, step: () => A): Effect.Effect<A, DiskFull | Unwritable> =>
  Effect.try({ try: step, catch: (cause) => writeRefusal(path, cause) })

/** What the file system's refusal comes to. */
export const writeRefusal = (path: string, cause: unknown): DiskFull | Unwritable =>
  hasCode(cause, "ENOSPC") || hasCode(cause, "EDQUOT")
    ? new DiskFull({ path })
    : new Unwritable({ path, cause })

const hasCode = (cause: unknown, code: string): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === code
