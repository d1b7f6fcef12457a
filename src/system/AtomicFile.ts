/**
 * Atomic file writes. Each file is written under a temporary name in its folder, then renamed, so it is complete or
 * absent.
 *
 * - `writeAtomically` keeps this promise even after a power cut, and with many machines writing to one folder. Use it
 *   for paid audio.
 * - `partFiles` and `replaceFile` keep it if the program ends at any point, but do not sync to disk. Use them for
 *   results, which a run can make again.
 */
import { randomUUID } from "node:crypto"
import { closeSync, fdatasync, lstatSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { makeFolder } from "./Folder.ts"
import { renamePatiently } from "./PatientRename.ts"

/** Name prefix of partial files of `writeAtomically`. */
export const partPrefix = ".part-"

/**
 * Writes a temporary file in the folder, syncs it to disk, and renames it. Only the sync runs in another thread: the
 * other calls take microseconds here, and several times that if handed over one by one.
 */
export const writeAtomically = async (folder: string, name: string, bytes: Uint8Array): Promise<void> => {
  const part = join(folder, `${partPrefix}${writer}-${++parts}-${name}`)
  const file = openSync(part, "w")
  try {
    writeAll(file, bytes)
    await syncToDisk(file)
  } finally {
    closeSync(file)
  }
  const target = join(folder, name)
  // Windows refuses while another program has the old file open; the call in another thread costs more.
  if (process.platform === "win32") await renamePatiently(part, target)
  else renameSync(part, target)
}

/** Syncs an open file's data to disk, in another thread. */
export const syncToDisk = promisify(fdatasync)

/** Numbers the partial files, so that an abandoned write and its replacement never share one. */
let parts = 0

/** Identifies this process among the writers of the same folder. */
const writer = randomUUID().slice(0, 8)

/** A full disk may accept only some of the bytes. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}

/**
 * Creates missing folders for files, whose `.part` files the caller then fills. Returns the effect that renames them
 * all. Those that were not renamed are removed when the scope closes. `faultOf` makes the error of a step that failed.
 */
export const partFiles = <E>(paths: ReadonlyArray<string>, faultOf: (path: string, cause: unknown) => E) => {
  const each = (step: (path: string) => unknown): Effect.Effect<void, E> =>
    Effect.forEach(
      paths,
      (path) => Effect.tryPromise({ try: async () => step(path), catch: (cause) => faultOf(path, cause) }),
      { discard: true }
    )
  return Effect.acquireRelease(
    each((path) => {
      makeFolder(dirname(path))
      // It may be a link that someone else has made: a program that fills it would write elsewhere.
      if (lstatSync(partOf(path), { throwIfNoEntry: false })?.isSymbolicLink() === true)
        unlinkSync(partOf(path))
    }),
    () => Effect.forEach(paths, removePart, { discard: true })
  ).pipe(Effect.as(Effect.uninterruptible(each((path) => renamePatiently(partOf(path), path)))))
}

/** Writes one file: lets `write` fill its `.part` file, and renames it if that succeeds. */
export const replaceFile = <E, R, F>(
  path: string,
  write: (part: string) => Effect.Effect<void, E, R>,
  faultOf: (path: string, cause: unknown) => F
): Effect.Effect<void, E | F, R> =>
  Effect.scoped(
    Effect.flatMap(partFiles([path], faultOf), (rename) => Effect.zipRight(write(partOf(path)), rename))
  )

/** The path of a file while it is incomplete. */
export const partOf = (path: string): string => `${path}.part`

/** Removes a `.part` file. If that fails, logs a warning instead of failing. */
const removePart = (path: string): Effect.Effect<void> =>
  Effect.tryPromise(() => rm(partOf(path), { force: true })).pipe(
    Effect.catchAll(({ cause }) => Effect.logWarning(`could not remove a temporary file: ${String(cause)}`))
  )
