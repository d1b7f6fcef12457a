/** Files of finished tasks: published before their task is done, at signed URLs that expire, and deleted with it. */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { mkdir, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Option, Stream } from "effect"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { DataFolder, DataFolderUnusable, openFailureReason } from "./DataFolder.ts"
import { type FileKind, fileKinds, FileStore, type StoredFile, unwritable } from "./FileStore.ts"
import { Secret } from "./Secret.ts"

/** What a URL with a valid signature says of its file. */
export interface SignedFile {
  readonly taskId: string
  readonly kind: FileKind
  /** The file of a URL never changes, because a task's files are written once. */
  readonly etag: string
  /** Seconds until the URL expires. */
  readonly remaining: number
}

/** A file that was found by its URL. */
export interface FoundFile extends StoredFile, SignedFile {}

const make = Effect.gen(function* () {
  const { path: folder } = yield* DataFolder
  const { config } = yield* ServiceOptions
  const secret = yield* Secret
  const addressSeconds = (config.keep?.addressHours ?? 24) * 3_600
  const store = yield* FileStore
  const partFolder = join(folder, "files", "part")
  /** Expiry is rounded up to a tenth of a URL's lifetime, so that repeated reads of a task return the same URL. */
  const step = Math.max(1, Math.ceil(addressSeconds / 10))

  const signature = (expires: number, name: string): Buffer =>
    secret.digest("address", `${expires} ${name}`).subarray(0, 24)

  /** Checks the signature of a URL at a time, in milliseconds since 1970. */
  const checkUrl = (token: string, name: string, now: number): SignedFile | undefined => {
    const parts = /^([0-9a-z]{1,11})-([A-Za-z0-9_-]{32})$/u.exec(token)
    const kind = fileKinds.find((each) => name.endsWith(`.${each}`))
    // Only signed names reach the file system. The format is checked as well, since it becomes part of a path.
    if (parts === null || kind === undefined || !taskFileName.test(name)) return undefined
    const expires = parseInt(parts[1] ?? "", 36)
    const given = Buffer.from(parts[2] ?? "", "base64url")
    const right = signature(expires, name)
    if (given.length !== right.length || !timingSafeEqual(given, right) || expires * 1000 <= now)
      return undefined
    return {
      taskId: name.slice(0, 36),
      kind,
      etag: `"${name}"`,
      remaining: Math.max(0, Math.floor(expires - now / 1000))
    }
  }

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

    /** Moves a task's files to their final place, all at once or before the task is done. */
    publish: store.publish,

    /** Stores more files of a done task. */
    add: store.add,

    /** Opens one of a done task's files. None if the task is deleted, or has no such file. */
    open: (taskId: string, ending: string) => store.find(taskId, `${taskId}.${ending}`),

    /** Returns the path of a copy of one of a done task's files, which is kept until the scope closes. */
    local: (taskId: string, kind: FileKind) => store.local(taskId, `${taskId}.${kind}`),

    /** Deletes a task's files, if there are any. */
    remove: store.remove,

    /** Returns the path of a file's URL, valid for at least `keep.addressHours` from `now`, in ms since 1970. */
    addressOf: (taskId: string, kind: FileKind, now: number): string => {
      const expires = Math.ceil((now / 1000 + addressSeconds) / step) * step
      const name = `${taskId}.${kind}`
      return `/files/${expires.toString(36)}-${signature(expires, name).toString("base64url")}/${name}`
    },

    /** Opens the file of a URL. None if the signature is wrong, the URL has expired or the task is deleted. */
    find: Effect.fnUntraced(function* (token: string, name: string) {
      const signed = checkUrl(token, name, yield* Clock.currentTimeMillis)
      if (signed === undefined) return Option.none<FoundFile>()
      const stored = yield* store.find(signed.taskId, name)
      return Option.map(stored, (file): FoundFile => ({ ...file, ...signed }))
    }),

    /** Deletes files without a task, which a crash between deleting a task and its files leaves behind. */
    sweep: (existing: (taskIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>) =>
      Stream.runForEach(store.taskIds, (ids) =>
        Effect.flatMap(existing(ids), (known) =>
          Effect.forEach(
            ids.filter((each) => !known.has(each)),
            store.remove,
            { discard: true }
          )
        )
      )
  }
})

/** The files of the tasks. */
export class TaskFiles extends Effect.Service<TaskFiles>()("service/TaskFiles", { effect: make }) {}

const taskFileName = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[a-z0-9]{3,4}$/u
