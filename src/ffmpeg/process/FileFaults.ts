/** File operations whose errors are a full disk or an unwritable path, and temporary folders. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { DiskFull, Unwritable } from "./FfmpegErrors.ts"

/** A temporary folder, which is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.suspend(() => attempt(tmpdir(), () => mkdtemp(join(tmpdir(), "dubwright-")))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** Runs an asynchronous file operation; its error names `path`. */
export const attempt = <A>(path: string, step: () => Promise<A>): Effect.Effect<A, DiskFull | Unwritable> =>
  Effect.tryPromise({ try: step, catch: (cause) => writeRefusal(path, cause) })

/** Maps a file system error: ENOSPC and EDQUOT are a full disk. */
export const writeRefusal = (path: string, cause: unknown): DiskFull | Unwritable =>
  hasCode(cause, "ENOSPC") || hasCode(cause, "EDQUOT")
    ? new DiskFull({ path })
    : new Unwritable({ path, cause })

const hasCode = (cause: unknown, code: string): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === code
