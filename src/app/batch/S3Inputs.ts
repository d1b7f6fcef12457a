/** Copies the files of a batch from S3 to this machine. Only what has changed since the last time is copied. */
import { createWriteStream, rmSync, statSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Effect, Option, Schema, Stream } from "effect"
import { replaceFile, writeAtomically } from "../../system/AtomicFile.ts"
import { makeFolder } from "../../system/Folder.ts"
import type { S3Client } from "../../system/s3/S3Client.ts"
import { type ListedObject, S3Failed } from "../../system/s3/S3Responses.ts"

/** Files copied at once. */
const filesAtOnce = 8

/** The copied objects, by name, with the tags that they had. */
const Copied = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))
const readCopied = Schema.decodeOption(Copied)

/** Copies an object to a file, which is complete or unchanged. */
export const copyObject = (s3: S3Client, name: string, path: string): Effect.Effect<void, S3Failed> =>
  replaceFile(
    path,
    (part) =>
      Effect.scoped(
        Effect.gen(function* () {
          const body = yield* s3.read(name)
          yield* Effect.tryPromise({
            try: () => pipeline(body, createWriteStream(part)),
            catch: (cause) => failed(name, cause)
          })
        })
      ).pipe(Effect.mapError((fault) => (fault.status === 404 ? missing(name) : fault))),
    (_, cause) => failed(name, cause)
  )

const failed = (name: string, cause: unknown) =>
  new S3Failed({
    status: 0,
    detail: `${name} cannot be copied (${cause instanceof Error ? cause.message : String(cause)})`
  })

const missing = (name: string) => new S3Failed({ status: 404, detail: `it has no ${name}` })

/**
 * Copies a folder's objects, except those below `except`, to a folder. Files whose objects were deleted since the last
 * copy are deleted.
 */
export const copyFolder = (
  s3: S3Client,
  folder: string,
  except: ReadonlyArray<string>
): Effect.Effect<void, S3Failed> =>
  Effect.gen(function* () {
    const record = `${folder}.json`
    const before = new Map(
      Object.entries(
        Option.getOrElse(
          readCopied(yield* Effect.promise(() => readFile(record, "utf8").catch(() => ""))),
          () => ({})
        )
      )
    )
    const objects = (yield* listAll(s3)).filter(
      ({ name }) => isInside(name) && !except.some((start) => name.startsWith(start))
    )
    const now = new Map<string, string>()
    yield* Effect.forEach(
      objects,
      ({ name, tag, bytes }) =>
        Effect.gen(function* () {
          const path = join(folder, name)
          const size = statSync(path, { throwIfNoEntry: false })?.size
          if (size !== bytes || before.get(name) !== tag) yield* copyObject(s3, name, path)
          now.set(name, tag)
        }),
      { concurrency: filesAtOnce, discard: true }
    )
    for (const name of before.keys()) if (!now.has(name)) rmSync(join(folder, name), { force: true })
    yield* Effect.tryPromise({
      try: async () => {
        makeFolder(dirname(record))
        await writeAtomically(
          dirname(record),
          basename(record),
          Buffer.from(JSON.stringify(Object.fromEntries(now)))
        )
      },
      catch: (cause) => failed("the list of copies", cause)
    })
  })

/** Lists all objects. */
export const listAll = (s3: S3Client): Effect.Effect<ReadonlyArray<ListedObject>, S3Failed> =>
  Effect.map(Stream.runCollect(s3.pages("")), (pages) => [...pages].flat())

/** Whether an object's name is a path to a file inside a folder. Folders made in a console end with a slash. */
const isInside = (name: string): boolean =>
  !/[\\\0]/u.test(name) && name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
