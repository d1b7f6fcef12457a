/** Files of finished tasks: published atomically, served at signed URLs that expire, deleted with their task. */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Option, Schema } from "effect"
import { renamePatiently } from "../../system/PatientRename.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { DataFolder, DataFolderUnusable, openFailureReason } from "./DataFolder.ts"
import { Secret } from "./Secret.ts"

/** Kinds of files in a task's folder, by extension. */
export const fileKinds = ["mp3", "wav", "srt", "json"] as const
export type FileKind = (typeof fileKinds)[number]

/** Each kind's media type. */
export const mediaTypes: Readonly<Record<FileKind, string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  srt: "application/x-subrip; charset=utf-8",
  json: "application/json; charset=utf-8"
}

/** A file that was found by its URL. */
export interface FoundFile {
  readonly kind: FileKind
  readonly size: number
  /** Open until the scope closes, so the file stays readable even after it is deleted. */
  readonly handle: FileHandle
  /** Never changes for a URL: a task's files are written once. */
  readonly etag: string
  /** Seconds until the URL expires. */
  readonly remaining: number
}

/** A task's files cannot be written. `full` if the disk is full or over quota. */
export class FilesUnwritable extends Schema.TaggedError<FilesUnwritable>()("FilesUnwritable", {
  detail: Schema.String,
  full: Schema.Boolean
}) {}

const make = Effect.gen(function* () {
  const { path: folder, durable } = yield* DataFolder
  const { config } = yield* ServiceOptions
  const secret = yield* Secret
  const addressSeconds = (config.keep?.addressHours ?? 24) * 3_600
  const filesFolder = join(folder, "files")
  const partFolder = join(folder, "files", "part")
  const folderOf = (taskId: string) => join(filesFolder, taskId.slice(0, 2), taskId)
  /** Expiry is rounded up to a tenth of a URL's lifetime, so that repeated reads of a task return the same URL. */
  const step = Math.max(1, Math.ceil(addressSeconds / 10))

  const signature = (expires: number, name: string): Buffer =>
    secret.digest("address", `${expires} ${name}`).subarray(0, 24)

  // Partial files of an earlier run are deleted.
  yield* Effect.tryPromise({
    try: async () => {
      await rm(partFolder, { recursive: true, force: true })
      await mkdir(partFolder, { recursive: true, mode: 0o700 })
    },
    catch: (cause) =>
      new DataFolderUnusable({
        folder,
        detail: `cannot create its "files" folder (${openFailureReason(cause)})`
      })
  })

  return {
    /** Creates a temporary folder for a task's files. Deleted with the scope unless `publish` has moved it. */
    workshop: (taskId: string) =>
      Effect.acquireRelease(
        Effect.tryPromise({
          try: async () => {
            const path = join(partFolder, `${taskId}-${randomBytes(6).toString("hex")}`)
            await mkdir(path, { mode: 0o700 })
            return path
          },
          catch: unwritable
        }),
        (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
      ),

    /** Writes one of a task's smaller files into its temporary folder. */
    write: (workshop: string, taskId: string, kind: FileKind, content: string) =>
      Effect.tryPromise({
        try: async () => {
          const file = await open(join(workshop, `${taskId}.${kind}`), "wx", 0o600)
          try {
            await file.writeFile(content)
          } finally {
            await file.close()
          }
        },
        catch: unwritable
      }),

    /** Moves a task's files to their final place with one rename. Replaces files of an interrupted attempt. */
    publish: (workshop: string, taskId: string) =>
      Effect.tryPromise({
        try: async () => {
          const place = folderOf(taskId)
          if (durable) await flushed(workshop)
          await mkdir(join(filesFolder, taskId.slice(0, 2)), { recursive: true, mode: 0o700 })
          await rm(place, { recursive: true, force: true })
          await renamePatiently(workshop, place)
        },
        catch: unwritable
      }),

    /** Returns the path of one of a done task's files. */
    pathOf: (taskId: string, kind: FileKind): string => join(folderOf(taskId), `${taskId}.${kind}`),

    /** Deletes a task's files, if there are any. */
    remove: (taskId: string) => Effect.promise(() => rm(folderOf(taskId), { recursive: true, force: true })),

    /** Returns the path of a file's URL, valid for at least `keep.addressHours` from now. */
    addressOf: (taskId: string, kind: FileKind) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const expires = Math.ceil((now / 1000 + addressSeconds) / step) * step
        const name = `${taskId}.${kind}`
        return `/files/${expires.toString(36)}-${signature(expires, name).toString("base64url")}/${name}`
      }),

    /** Opens the file of a URL. None if the signature is wrong, the URL has expired or the task is deleted. */
    find: Effect.fnUntraced(function* (token: string, name: string) {
      const parts = /^([0-9a-z]{1,11})-([A-Za-z0-9_-]{32})$/u.exec(token)
      const kind = fileKinds.find((each) => name.endsWith(`.${each}`))
      // Only signed names reach the file system. The format is checked as well, since it becomes part of a path.
      if (parts === null || kind === undefined || !taskFileName.test(name)) return Option.none<FoundFile>()
      const expires = parseInt(parts[1] ?? "", 36)
      const given = Buffer.from(parts[2] ?? "", "base64url")
      const now = yield* Clock.currentTimeMillis
      const right = signature(expires, name)
      if (given.length !== right.length || !timingSafeEqual(given, right) || expires * 1000 <= now) {
        return Option.none<FoundFile>()
      }
      const path = join(folderOf(name.slice(0, 36)), name)
      const handle = yield* Effect.option(
        Effect.acquireRelease(
          Effect.tryPromise(() => open(path, "r")),
          (each) => Effect.promise(() => each.close())
        )
      )
      if (Option.isNone(handle)) return Option.none<FoundFile>()
      const { size } = yield* Effect.promise(() => handle.value.stat())
      return Option.some<FoundFile>({
        kind,
        size,
        handle: handle.value,
        etag: `"${name}"`,
        remaining: Math.max(0, Math.floor(expires - now / 1000))
      })
    }),

    /** Deletes folders without a task, which a crash between deleting a task and its files leaves behind. */
    sweep: <E>(existing: (taskIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, E>) =>
      Effect.gen(function* () {
        const shelves = yield* entriesOf(filesFolder)
        yield* Effect.forEach(
          shelves.filter((shelf) => /^[0-9a-f]{2}$/u.test(shelf)),
          (shelf) =>
            Effect.gen(function* () {
              const folders = yield* entriesOf(join(filesFolder, shelf))
              for (let at = 0; at < folders.length; at += 500) {
                const some = folders.slice(at, at + 500)
                const known = yield* existing(some)
                yield* Effect.forEach(
                  some.filter((each) => !known.has(each)),
                  (each) =>
                    Effect.promise(() =>
                      rm(join(filesFolder, shelf, each), { recursive: true, force: true })
                    ),
                  { discard: true }
                )
              }
            }),
          { discard: true }
        )
      })
  }
})

/** The files of the tasks. */
export class TaskFiles extends Effect.Service<TaskFiles>()("service/TaskFiles", { effect: make }) {}

const taskFileName = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[a-z0-9]{3,4}$/u

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

/** Syncs every file of a folder to disk. */
const flushed = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const file = await open(join(folder, name), "r")
    try {
      await file.sync()
    } finally {
      await file.close()
    }
  }
}
