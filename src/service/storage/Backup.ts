/** Copies a service's data folder while the service runs. The copy is a data folder itself: start a service on it. */
import { constants, existsSync, readdirSync } from "node:fs"
import { cp, mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { fileIn, serviceDatabase } from "./Database.ts"
import {
  createPrivate,
  DataFolder,
  DataFolderUnusable,
  keepPrivate,
  openFailureReason
} from "./DataFolder.ts"

/**
 * Copies a data folder to a new one; returns the number of tasks with files. The database comes first, so that each
 * finished task in it has its files, unless it is deleted meanwhile.
 */
export const backUp = (
  dataDir: string,
  target: string
): Effect.Effect<{ readonly tasks: number }, DataFolderUnusable> =>
  Effect.gen(function* () {
    if (!existsSync(fileIn(dataDir)))
      return yield* new DataFolderUnusable({
        folder: dataDir,
        detail: "no service data here; set the service's folder with --data"
      })
    const failed = (cause: unknown) =>
      new DataFolderUnusable({
        folder: target,
        detail: `cannot write the copy (${openFailureReason(cause)})`
      })
    yield* Effect.tryPromise({ try: () => emptyFolder(target), catch: failed })
    yield* Effect.flatMap(SqlClient, (sql) => sql`VACUUM INTO ${fileIn(target)}`).pipe(
      Effect.mapError(({ cause }) => failed(cause)),
      Effect.provide(Layer.provide(serviceDatabase, DataFolder.shared({ path: dataDir, durable: true })))
    )
    return yield* Effect.tryPromise({ try: () => copyFiles(dataDir, target), catch: failed })
  })

const emptyFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) throw new Error("the folder is not empty; choose another with --to")
  keepPrivate(folder)
  createPrivate(fileIn(folder))
}

/** Copies the secret and the files of finished tasks, as clones where the file system has them. */
const copyFiles = async (from: string, to: string): Promise<{ readonly tasks: number }> => {
  const options = { recursive: true, mode: constants.COPYFILE_FICLONE } as const
  await cp(join(from, "secret"), join(to, "secret"), options)
  let tasks = 0
  for (const group of await listed(join(from, "files"))) {
    if (group === "part") continue
    for (const task of await listed(join(from, "files", group))) {
      await cp(join(from, "files", group, task), join(to, "files", group, task), options).then(
        () => tasks++,
        // The task has been deleted meanwhile.
        (cause: NodeJS.ErrnoException) => {
          if (cause.code !== "ENOENT") throw cause
        }
      )
    }
  }
  // Older versions wrote files that others may read.
  for (const name of readdirSync(to, { recursive: true, encoding: "utf8" })) keepPrivate(join(to, name))
  return { tasks }
}

const listed = (folder: string): Promise<ReadonlyArray<string>> =>
  readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return []
    throw cause
  })
