/** The service's data folder: created if missing, and locked while a service runs. */
import { chmodSync, closeSync, openSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer, Schema } from "effect"
import { makeFolder } from "../../system/Folder.ts"
import { lockFolder } from "../../store/state/WriterLock.ts"

/** The data folder, or a file in it, cannot be used. */
export class DataFolderUnusable extends Schema.TaggedError<DataFolderUnusable>()("DataFolderUnusable", {
  folder: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.folder}: ${this.detail}`
  }
}

/** How a data folder is used. */
export interface DataFolderOptions {
  readonly path: string
  /**
   * Whether every transaction and file is synced to disk, and survives a power failure. Otherwise it survives only a
   * crash of the process.
   */
  readonly durable: boolean
}

/** An existing data folder. */
export class DataFolder extends Context.Tag("service/DataFolder")<DataFolder, DataFolderOptions>() {
  /** Creates the folder if missing. Several processes may use it. */
  static readonly shared = (options: DataFolderOptions) => Layer.effect(DataFolder, created(options, []))

  /** Creates the folder if missing, and locks it: only one service may use it at a time. */
  static readonly locked = (options: DataFolderOptions) =>
    Layer.scoped(
      DataFolder,
      Effect.zipLeft(created(options, ["lock.sqlite", "holder.json"]), locked(options.path))
    )
}

/**
 * Creates the folder, and some empty files. Its owner alone may read it, also if it was there before: it holds users'
 * texts.
 */
const created = (options: DataFolderOptions, files: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { path: folder } = options
    yield* Effect.try({
      try: () => makeFolder(folder, 0o700),
      catch: (cause) =>
        new DataFolderUnusable({
          folder,
          detail: `cannot create the folder (${openFailureReason(cause)}); choose another with --data`
        })
    })
    yield* Effect.try({
      try: () => {
        for (const name of ["", ...readdirSync(folder)]) keepPrivate(join(folder, name))
        for (const name of files) createPrivate(join(folder, name))
      },
      catch: (cause) =>
        new DataFolderUnusable({
          folder,
          detail: `its files cannot be kept from other users (${openFailureReason(cause)}); name a folder inside it with --data`
        })
    })
    return options
  })

/** Creates an empty file if it is missing. SQLite gives its log the rights of the database. */
export const createPrivate = (file: string): void => closeSync(openSync(file, "a", 0o600))

/** Takes every right to a file or folder from other users. */
export const keepPrivate = (path: string): void => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if (process.platform !== "win32" && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
}

const locked = (folder: string) =>
  Effect.mapError(lockFolder(folder), (failure) => {
    const holder = failure._tag === "StateBusy" ? failure.holder : undefined
    const detail =
      failure._tag === "StateBusy"
        ? `another service uses this data folder${holder === undefined ? "" : ` (process ${holder.pid})`}; stop it, or choose another folder with --data`
        : failure.message
    return new DataFolderUnusable({ folder, detail })
  })

/** Returns a failure's message, without its stack. */
export const openFailureReason = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
