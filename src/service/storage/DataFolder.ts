/** The service's data folder: created if missing, and locked while a service runs. */
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
  static readonly shared = (options: DataFolderOptions) => Layer.effect(DataFolder, created(options))

  /** Creates the folder if missing, and locks it: only one service may use it at a time. */
  static readonly locked = (options: DataFolderOptions) =>
    Layer.scoped(DataFolder, Effect.zipLeft(created(options), locked(options.path)))
}

/** Creates the folder, readable only by its owner since it holds users' texts. */
const created = (options: DataFolderOptions) =>
  Effect.try({
    try: () => {
      makeFolder(options.path, 0o700)
      return options
    },
    catch: (cause) =>
      new DataFolderUnusable({
        folder: options.path,
        detail: `cannot create the folder (${openFailureReason(cause)}); choose another with --data`
      })
  })

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
