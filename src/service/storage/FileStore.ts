/** Where the files of finished tasks are: a folder, or S3. */
import { mkdir, open, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { Context, Effect, Layer, Option, Schema, type Scope, Stream } from "effect"
import { renamePatiently } from "../../system/PatientRename.ts"
import { DataFolder, openFailureReason } from "./DataFolder.ts"

/** Kinds of files, by extension. */
export const fileKinds = ["mp3", "wav", "srt", "json"] as const
export type FileKind = (typeof fileKinds)[number]

/** Each kind's media type. */
export const mediaTypes: Readonly<Record<FileKind, string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  srt: "application/x-subrip; charset=utf-8",
  json: "application/json; charset=utf-8"
}

/** A task's files cannot be written. `full` if the disk is full or over quota. */
export class FilesUnwritable extends Schema.TaggedError<FilesUnwritable>()("FilesUnwritable", {
  detail: Schema.String,
  full: Schema.Boolean
}) {}

/** A stored file. It stays readable until the scope closes, even after it is deleted. */
export interface StoredFile {
  readonly size: number
  /** Reads the bytes from `from` to `to`, both included. */
  readonly read: (from: number, to: number) => Effect.Effect<Readable, never, Scope.Scope>
}

/** Stores the files of tasks. Names are `TASK_ID.ENDING`. */
export class FileStore extends Context.Tag("service/FileStore")<
  FileStore,
  {
    /** Stores all files of a temporary folder as the task's. Replaces files of an interrupted attempt. */
    readonly publish: (workshop: string, taskId: string) => Effect.Effect<void, FilesUnwritable>
    /** Stores the files of a temporary folder beside the task's others. */
    readonly add: (workshop: string, taskId: string) => Effect.Effect<void, FilesUnwritable>
    readonly find: (
      taskId: string,
      name: string
    ) => Effect.Effect<Option.Option<StoredFile>, never, Scope.Scope>
    /** Returns the path of a local copy, which may be the file itself. */
    readonly local: (taskId: string, name: string) => Effect.Effect<string, never, Scope.Scope>
    readonly remove: (taskId: string) => Effect.Effect<void>
    /** The ids of all tasks with files, in groups of at most 1,000. */
    readonly taskIds: Stream.Stream<ReadonlyArray<string>>
    /** Whether files can be stored now. */
    readonly isReachable: Effect.Effect<boolean>
  }
>() {}

/** Stores files in the data folder: a folder for each task, which one rename publishes. */
export const folderStore = Layer.effect(
  FileStore,
  Effect.map(DataFolder, ({ path, durable }) => {
    const filesFolder = join(path, "files")
    const folderOf = (taskId: string) => join(filesFolder, taskId.slice(0, 2), taskId)
    return FileStore.of({
      publish: (workshop, taskId) =>
        Effect.tryPromise({
          try: async () => {
            const place = folderOf(taskId)
            await sealed(workshop, durable)
            await mkdir(join(filesFolder, taskId.slice(0, 2)), { recursive: true, mode: 0o700 })
            await rm(place, { recursive: true, force: true })
            await renamePatiently(workshop, place)
          },
          catch: unwritable
        }),
      add: (workshop, taskId) =>
        Effect.tryPromise({
          try: async () => {
            for (const name of await sealed(workshop, durable))
              await renamePatiently(join(workshop, name), join(folderOf(taskId), name))
          },
          catch: unwritable
        }),
      find: Effect.fnUntraced(function* (taskId: string, name: string) {
        const handle = yield* Effect.option(
          Effect.acquireRelease(
            Effect.tryPromise(() => open(join(folderOf(taskId), name), "r")),
            (each) => Effect.promise(() => each.close())
          )
        )
        if (Option.isNone(handle)) return Option.none<StoredFile>()
        const { size } = yield* Effect.promise(() => handle.value.stat())
        return Option.some<StoredFile>({
          size,
          read: (start, end) =>
            Effect.sync(() => handle.value.createReadStream({ start, end, autoClose: false }))
        })
      }),
      local: (taskId, name) => Effect.succeed(join(folderOf(taskId), name)),
      remove: (taskId) => Effect.promise(() => rm(folderOf(taskId), { recursive: true, force: true })),
      taskIds: Stream.fromEffect(entriesOf(filesFolder)).pipe(
        Stream.flatMap((shelves) =>
          Stream.fromIterable(shelves.filter((shelf) => /^[0-9a-f]{2}$/u.test(shelf)))
        ),
        Stream.flatMap((shelf) => Stream.fromIterableEffect(entriesOf(join(filesFolder, shelf)))),
        Stream.grouped(500),
        Stream.map((ids) => [...ids])
      ),
      isReachable: Effect.succeed(true)
    })
  })
)

/** Converts a file-system error to `FilesUnwritable`. */
export const unwritable = (cause: unknown) =>
  new FilesUnwritable({
    detail: openFailureReason(cause),
    full: cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT")
  })

const entriesOf = (folder: string) =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => readdir(folder)),
    (): ReadonlyArray<string> => []
  )

/**
 * Takes the rights to a folder's files from other users; writes them to disk if they have to be durable. Returns their
 * names.
 */
const sealed = async (folder: string, durable: boolean): Promise<ReadonlyArray<string>> => {
  const names = await readdir(folder)
  for (const name of names) {
    const file = await open(join(folder, name), "r")
    try {
      await file.chmod(0o600)
      if (durable) await file.sync()
    } finally {
      await file.close()
    }
  }
  return names
}
