/** Stores the files of tasks in S3, as `files/TASK_ID/TASK_ID.KIND` below the prefix. */
import { randomBytes } from "node:crypto"
import { createWriteStream } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Effect, Layer, Option, Stream } from "effect"
import { ifPresent, type S3Client } from "../../../system/s3/S3Client.ts"
import { DataFolder } from "../DataFolder.ts"
import {
  type FileKind,
  fileKinds,
  FileStore,
  FilesUnwritable,
  mediaTypes,
  type StoredFile
} from "../FileStore.ts"

/** Stores files with a client. Local copies are in the data folder. */
export const s3Files = (s3: S3Client) =>
  Layer.effect(
    FileStore,
    Effect.map(DataFolder, ({ path }) => {
      const nameOf = (taskId: string, name: string) => `files/${taskId}/${name}`
      const store = (workshop: string, taskId: string) =>
        Effect.gen(function* () {
          for (const name of yield* Effect.promise(() => readdir(workshop))) {
            yield* s3.putFile(nameOf(taskId, name), join(workshop, name), mediaTypes[kindOf(name)])
          }
        }).pipe(
          Effect.mapError(
            ({ detail }) => new FilesUnwritable({ detail: `${s3.name}: ${detail}`, full: false })
          )
        )
      return FileStore.of({
        publish: store,
        add: store,
        find: (taskId, name) =>
          ifPresent(s3.size(nameOf(taskId, name))).pipe(
            Effect.map(
              Option.map((size): StoredFile => ({
                size,
                read: (from, to) => Effect.orDie(s3.read(nameOf(taskId, name), { from, to }))
              }))
            ),
            Effect.orDie
          ),
        local: Effect.fnUntraced(function* (taskId: string, name: string) {
          const copy = join(path, "files", "part", `${randomBytes(6).toString("hex")}-${name}`)
          yield* Effect.addFinalizer(() => Effect.promise(() => rm(copy, { force: true })))
          const bytes = yield* Effect.orDie(s3.read(nameOf(taskId, name)))
          yield* Effect.promise(() => pipeline(bytes, createWriteStream(copy, { mode: 0o600 })))
          return copy
        }),
        remove: (taskId) =>
          Stream.runForEach(s3.pages(nameOf(taskId, "")), (objects) =>
            Effect.forEach(objects, ({ name }) => s3.remove(name), {
              concurrency: "unbounded",
              discard: true
            })
          ).pipe(Effect.orDie),
        taskIds: s3.pages("files/").pipe(
          Stream.map((objects) => [...new Set(objects.map(({ name }) => name.split("/")[1] ?? ""))]),
          Stream.orDie
        ),
        isReachable: s3
          .list("files/", 1)
          .pipe(Effect.timeout("5 seconds"), Effect.match({ onFailure: () => false, onSuccess: () => true }))
      })
    })
  )

const kindOf = (name: string): FileKind => fileKinds.find((kind) => name.endsWith(`.${kind}`)) ?? "wav"
