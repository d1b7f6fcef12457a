/** A share in S3. Each machine has copies of what it needs, and workers deliver in a folder of their own. */
import { randomUUID, createHash } from "node:crypto"
import { statSync, createWriteStream } from "node:fs"
import { link, readdir, rm, stat, utimes, rename } from "node:fs/promises"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { mapStateErrorLater, stateFault, StateUnusable } from "../../store/state/StateErrors.ts"
import { sha256OfFile } from "../../system/FileHash.ts"
import { makeFolder } from "../../system/Folder.ts"
import { ifPresent, openS3, type S3Client } from "../../system/s3/S3Client.ts"
import { S3Failed, type ListedObject } from "../../system/s3/S3Responses.ts"
import { readS3Settings } from "../../system/s3/S3Settings.ts"
import { FleetUnusable, versionMismatch } from "./FleetErrors.ts"
import { SentFile } from "./JobPayloads.ts"
import { clipName, portableMark, Share, shareTexts, type ShareFiles, type ShareTexts } from "./Share.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { partOf } from "../../system/AtomicFile.ts"

/** The copies on this machine. */
export interface ShareCache {
  readonly folder: string
  /** In bytes. */
  readonly limit: number
}

const SentFiles = Schema.parseJson(Schema.Array(SentFile))
const writeSent = Schema.encodeSync(SentFiles)
const readSent = Schema.decode(SentFiles)

/** Files sent or received at once. */
const filesAtOnce = 8

/** How long an outage of S3 is waited for: about two minutes, besides the client's own retries. */
const patience = Schedule.intersect(Schedule.spaced("2 seconds"), Schedule.recurs(40))

/**
 * Opens a share at `s3://BUCKET/PREFIX`. The coordinator's paths are its own. A worker puts files at the same places
 * relative to each other, in a folder of its own: timelines refer to films by relative paths.
 */
export const s3Share = (
  address: string,
  cache: ShareCache,
  machine: "coordinator" | "worker"
): Layer.Layer<Share, FleetUnusable> =>
  Layer.scoped(
    Share,
    Effect.gen(function* () {
      const unusable = ({ detail }: Pick<S3Failed, "detail">) =>
        new FleetUnusable({
          about: address,
          words: `cannot use it as the fleet's share: ${detail}; check the AWS_ variables, or choose another with --share`
        })
      const s3 = yield* Effect.flatMap(Effect.mapError(readS3Settings(address), unusable), openS3)
      yield* Effect.mapError(s3.putBytes("fleet/.writable", Buffer.alloc(0)), unusable)

      const clips = join(cache.folder, "clips")
      const inputs = join(cache.folder, "inputs")
      const work = join(cache.folder, "work")
      const scratch = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: async () => {
            makeFolder(clips)
            makeFolder(inputs)
            return machine === "coordinator" ? undefined : await openWork(work, randomUUID())
          },
          catch: (cause) => unusable({ detail: cause instanceof Error ? cause.message : String(cause) })
        }),
        (folder) =>
          folder === undefined
            ? Effect.void
            : Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => undefined))
      )
      const bounded = Effect.ignore(Effect.tryPromise(() => boundCache([clips, inputs], cache.limit)))
      yield* Effect.forkScoped(Effect.repeat(bounded, Schedule.spaced("5 minutes")))

      const access = accessOf(s3, cache.folder)
      const { ask, attempt, size, download } = access
      const texts = shareTexts({
        name: s3.name,
        read: (name) => ask(present(s3.readText(name))),
        write: (name, text) => ask(s3.putBytes(name, Buffer.from(text))),
        size
      })
      const clipList = makeClipList({
        page: (token) => ask(s3.list("clips/", 1_000, token)),
        size,
        recordOf: texts.recordOf
      })
      const clipPath = (key: string) => join(clips, `${key}.wav`)
      return {
        name: s3.name,
        clips: { folder: clips, missing: clipList.missing },
        ...texts,
        // The clip first: a record without its clip would be useless.
        keepRecord: (record) => {
          const { key } = record.utterance
          const sha256 = record.clip?.clip.checksum
          return Effect.zipRight(
            ask(s3.putFile(clipName(key, "wav"), clipPath(key), "audio/wav", sha256)),
            texts.keepRecord(record)
          )
        },
        recordsOf: clipList.recordsOf,
        fetchClips: (records) =>
          Effect.forEach(
            records,
            ({ utterance: { key }, clip }) =>
              clip === undefined
                ? Effect.void
                : Effect.flatMap(
                    attempt(() => isCached(clipPath(key), clip.bytes)),
                    (isThere) =>
                      isThere
                        ? Effect.void
                        : Effect.asVoid(download(clipName(key, "wav"), clipPath(key), clip.clip.checksum))
                  ),
            { concurrency: requestsAtOnce, discard: true }
          ),
        files: filesOf({ s3, texts, scratch, inputs, bounded, ...access })
      }
    })
  )

/** Access to objects, with patience. */
const accessOf = (s3: S3Client, cache: string) => {
  const ask = <A>(request: Effect.Effect<A, S3Failed | StateUnusable>): Effect.Effect<A, StateUnusable> =>
    request.pipe(
      Effect.retry({
        while: (failure) =>
          failure._tag === "S3Failed" &&
          (failure.status === 0 || failure.status === 429 || failure.status >= 500),
        schedule: patience
      }),
      Effect.catchTag(
        "S3Failed",
        ({ detail }) => new StateUnusable({ folder: s3.name, reason: "gone", detail })
      )
    )
  const attempt = <A>(run: () => Promise<A>) => mapStateErrorLater(cache, run)
  return {
    ask,
    attempt,
    size: (name: string) => ask(present(s3.size(name))),
    /** Brings an object to a file. Returns false if it is missing, or not the expected one. */
    download: (name: string, target: string, sha256: string): Effect.Effect<boolean, StateUnusable> =>
      Effect.gen(function* () {
        const bytes = yield* present(s3.read(name))
        if (bytes === undefined) return false
        return yield* Effect.tryPromise({
          try: () => receiveFile(bytes, target, sha256),
          catch: (cause) =>
            stateFault(cache, cause) ?? new S3Failed({ status: 0, detail: "its response broke off" })
        })
      }).pipe(Effect.scoped, ask)
  }
}

const present = <A, R>(request: Effect.Effect<A, S3Failed, R>) =>
  Effect.map(ifPresent(request), Option.getOrUndefined)

interface FilesNeeds extends ReturnType<typeof accessOf> {
  readonly s3: S3Client
  readonly texts: ReturnType<typeof shareTexts>
  /** The folder of copies of inputs. */
  readonly inputs: string
  /** The worker's folder for one delivery; undefined on the coordinator. */
  readonly scratch: string | undefined
  /** Deletes old copies. */
  readonly bounded: Effect.Effect<void>
}

const filesOf = ({ s3, texts, inputs, scratch, bounded, ask, attempt, size, download }: FilesNeeds) => {
  const one = Effect.unsafeMakeSemaphore(1)
  const sent = new Map<string, SentFile>()

  /** Sends a file unless the share has it. */
  const send = (group: string, path: string, file: string) =>
    Effect.gen(function* () {
      const { size: bytes, mtime } = yield* attempt(() => stat(file))
      const sha256 = yield* attempt(() => sha256OfFile(file))
      const object = `${group}/${sha256}`
      if ((yield* size(object)) !== bytes)
        yield* ask(s3.putFile(object, file, "application/octet-stream", sha256))
      return { path, object, bytes, modified: mtime.getTime() } satisfies SentFile
    })

  return {
    holds: () => true,
    portable: (path) => portableMark + rootless(path),
    local: (path) =>
      path.startsWith(portableMark) ? join(scratch ?? "/", path.slice(portableMark.length)) : path,
    // One at a time: a film that several jobs need is sent once.
    sendInputs: (paths) =>
      Effect.forEach(paths, (path) =>
        Effect.gen(function* () {
          const { size: bytes, mtimeMs } = yield* attempt(() => stat(path))
          const id = `${path} ${bytes} ${mtimeMs}`
          const file = sent.get(id) ?? (yield* send("inputs", rootless(path), path))
          sent.set(id, file)
          return file
        })
      ).pipe(one.withPermits(1)),
    fetchInputs: (wanted) =>
      Effect.gen(function* () {
        const folder = scratch
        // Only a worker has a folder for them: on the coordinator, the files are at their own places.
        if (folder === undefined) return true
        yield* bounded
        yield* attempt(async () => {
          await rm(folder, { recursive: true, force: true })
          makeFolder(folder)
        })
        for (const { path, object, bytes, modified } of wanted) {
          const sha256 = basename(object)
          // The time is part of the name, because a hard link has the same one.
          const copy = join(inputs, `${sha256}-${modified}`)
          if (!(yield* attempt(() => isCached(copy, bytes)))) {
            if (!(yield* download(object, copy, sha256))) return false
            yield* attempt(() => utimes(copy, new Date(), new Date(modified)))
          }
          const target = join(folder, path)
          yield* attempt(async () => {
            makeFolder(dirname(target))
            await link(copy, target)
          })
        }
        return true
      }),
    sendResults: (plan, out, job) =>
      Effect.gen(function* () {
        const names = yield* attempt(() => readdir(join(out, job), { recursive: true, withFileTypes: true }))
        const made = names.flatMap((entry) =>
          entry.isFile() && !entry.name.startsWith(".") ? [join(entry.parentPath, entry.name)] : []
        )
        const list = yield* Effect.forEach(
          made,
          (file) => send(`results/${plan}`, relative(out, file).split(sep).join("/"), file),
          { concurrency: filesAtOnce }
        )
        return yield* texts.keep(writeSent(list))
      }),
    fetchResults: (name, out) =>
      Effect.gen(function* () {
        if (name === undefined) return true
        const list = yield* Effect.mapError(readSent(yield* texts.kept(name)), () =>
          versionMismatch(s3.name, `fleet/${name}.json`)
        )
        const found = yield* Effect.forEach(
          list,
          ({ path, object, bytes }) =>
            Effect.gen(function* () {
              const target = join(out, path)
              const sha256 = basename(object)
              const isSame = yield* attempt(
                async () =>
                  statSync(target, { throwIfNoEntry: false })?.size === bytes &&
                  (await sha256OfFile(target)) === sha256
              )
              if (isSame) return true
              yield* attempt(async () => makeFolder(dirname(target)))
              return yield* download(object, target, sha256)
            }),
          { concurrency: filesAtOnce }
        )
        return found.every(Boolean)
      }),
    dropResults: (plan) =>
      Effect.gen(function* () {
        for (;;) {
          const { objects } = yield* s3.list(`results/${plan}/`, 1_000)
          if (objects.length === 0) return
          yield* Effect.forEach(objects, ({ name }) => s3.remove(name), {
            concurrency: requestsAtOnce,
            discard: true
          })
        }
      }).pipe(Effect.ignore)
  } satisfies ShareFiles
}

/** A path relative to the root of its file system, with forward slashes. A drive of Windows becomes a folder. */
const rootless = (path: string): string =>
  resolve(path)
    .replace(/^([A-Za-z]):/u, "$1")
    .split(sep)
    .filter((part) => part !== "")
    .join("/")

/** Requests of small objects sent at once. */
const requestsAtOnce = 64

/** A page of objects in the order of their names, and the token of the next page. */
interface ListedPage {
  readonly objects: ReadonlyArray<ListedObject>
  readonly next: string | undefined
}

/** Requests to a share. */
interface ClipRequests {
  readonly page: (token: string | undefined) => Effect.Effect<ListedPage, StateUnusable>
  /** An object's size in bytes; undefined if it is missing. */
  readonly size: (name: string) => Effect.Effect<number | undefined, StateUnusable>
  readonly recordOf: ShareTexts["recordOf"]
}

/** Makes a list of the share's clips, which remembers the sizes of complete ones. */
const makeClipList = ({ page, size, recordOf }: ClipRequests) => {
  /** Sizes in bytes by the clips' names. */
  const sizes = new Map<string, number>()

  /**
   * Lists the clips' names, as long as that takes fewer requests one after the other than asking for each of `count`
   * clips. Returns whether a name is listed, or comes after the last one listed.
   */
  const list = (count: number) =>
    Effect.gen(function* () {
      const listed = new Set<string>()
      let last = ""
      let token: string | undefined
      for (let pages = 1; pages < count / requestsAtOnce; pages++) {
        const { objects, next } = yield* page(token)
        for (const { name, bytes } of objects) {
          listed.add(name)
          if (name.endsWith(".wav")) sizes.set(name, bytes)
        }
        if (next === undefined) return (name: string) => listed.has(name)
        last = objects.at(-1)?.name ?? last
        token = next
      }
      return (name: string) => name > last || listed.has(name)
    })

  const isKnown = (key: UtteranceKey, bytes: number): boolean => sizes.get(clipName(key, "wav")) === bytes

  /** Whether a clip is stored with a size. A clip that is known is not asked for again. */
  const isStored = (key: UtteranceKey, bytes: number): Effect.Effect<boolean, StateUnusable> =>
    isKnown(key, bytes)
      ? Effect.succeed(true)
      : Effect.map(size(clipName(key, "wav")), (found) => {
          if (found !== undefined) sizes.set(clipName(key, "wav"), found)
          return found === bytes
        })

  return {
    /** Reads the records of those utterances whose clips are complete. */
    recordsOf: (keys: ReadonlyArray<UtteranceKey>) =>
      Effect.gen(function* () {
        const isListed = yield* list(keys.length)
        const found = yield* Effect.forEach(
          keys.filter((key) => isListed(clipName(key, "json"))),
          (key) => recordOf(key, isStored),
          { concurrency: requestsAtOnce }
        )
        return found.filter((record) => record !== undefined)
      }),

    /** Returns the clips that are not stored with their sizes. */
    missing: (wanted: ReadonlyMap<UtteranceKey, number>) =>
      Effect.gen(function* () {
        const unknown = [...wanted].filter(([key, bytes]) => !isKnown(key, bytes))
        yield* list(unknown.length)
        const asked = yield* Effect.forEach(
          unknown,
          ([key, bytes]) => Effect.map(isStored(key, bytes), (isThere) => (isThere ? [] : [key])),
          { concurrency: requestsAtOnce }
        )
        return asked.flat()
      })
  }
}

/**
 * A machine's copies of what a fleet has in S3, in a folder that its processes share: clips, and inputs of deliveries
 * by checksum. Copies are complete or absent. The size is bounded: what was used least recently is deleted.
 */

/** Files used within this time are kept, even if the cache is too large: a delivery may be reading them. */
const inUseFor = 3 * 3_600_000

/** Age after which the work folder of a process that was killed is deleted. */
const abandonedAfter = 24 * 3_600_000

/** Writes a file from a stream; it appears once it is complete. Returns false if its SHA-256 differs. */
const receiveFile = async (bytes: Readable, target: string, sha256: string): Promise<boolean> => {
  const part = partOf(`${target}.${process.pid}-${++parts}`)
  const hash = createHash("sha256")
  try {
    await pipeline(
      bytes,
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece)
          yield piece
        }
      },
      createWriteStream(part)
    )
    if (hash.digest("hex") !== sha256) return false
    await rename(part, target)
    return true
  } finally {
    await rm(part, { force: true })
  }
}

/** Numbers partial files, so that two downloads never write to the same one. */
let parts = 0

/** Returns whether a file of a size is there. Marks it as used. */
const isCached = async (path: string, bytes: number): Promise<boolean> => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.size !== bytes) return false
  await utimes(path, new Date(), found.mtime)
  return true
}

/** Deletes the files used least recently until those in `folders` have at most `limit` bytes. */
export const boundCache = async (folders: ReadonlyArray<string>, limit: number): Promise<void> => {
  const files = (await Promise.all(folders.map(filesIn))).flat().sort((a, b) => a.usedAt - b.usedAt)
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const before = Date.now() - inUseFor
  for (const { path, bytes, usedAt } of files) {
    if (total <= limit || usedAt > before) break
    await rm(path, { force: true })
    total -= bytes
  }
}

/** Makes a folder for this process's work, and deletes the abandoned ones of others. */
const openWork = async (folder: string, name: string): Promise<string> => {
  makeFolder(folder)
  for (const other of await readdir(folder)) {
    const { mtimeMs = Infinity } = statSync(join(folder, other), { throwIfNoEntry: false }) ?? {}
    if (mtimeMs < Date.now() - abandonedAfter) await rm(join(folder, other), { recursive: true, force: true })
  }
  makeFolder(join(folder, name))
  return join(folder, name)
}

const filesIn = async (folder: string) => {
  const found: Array<{ path: string; bytes: number; usedAt: number }> = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(folder, entry.name)
    // Another process may have deleted it.
    const state = await stat(path).catch(() => undefined)
    if (state !== undefined) found.push({ path, bytes: state.size, usedAt: state.atimeMs })
  }
  return found
}
