/**
 * Installs neural voices from the catalogue, a folder, a Piper file or an archive. Each appears complete or not at all.
 */
import { rootMessage } from "../ResponseBody.ts"
import { randomUUID } from "node:crypto"
import { existsSync, createReadStream, createWriteStream } from "node:fs"
import {
  copyFile,
  cp,
  mkdir,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
  open,
  readFile
} from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { Effect, Schema, Data, Option, Schedule, Stream, type Duration } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { espeakDataFolder } from "../neural/EspeakData.ts"
import { checkModel } from "../neural/ModelFolder.ts"
import { ModelUnusable } from "../neural/ModelFault.ts"
import { offeredVoices } from "../neural/SherpaEngine.ts"
import type { CataloguedVoice } from "./VoiceCatalogue.ts"
import { diskFault, megabytes, VoiceNotAdded } from "./VoiceFault.ts"
import { recordFile, voiceIdOf, VoiceRecordJson, type VoiceRecord } from "./VoiceRecord.ts"
import { sha256OfFile } from "../../system/FileHash.ts"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { extract, type Header } from "tar-stream"
import unbzip2 from "unbzip2-stream"

/** Where voices are installed, and how progress is shown. */
export interface InstallTarget {
  /** The folder of all voices. */
  readonly folder: string
  /** The folder for files that can be made again. */
  readonly cache: string
  /** Downloads come from this URL instead, as `<mirror>/<file name>`. */
  readonly mirror?: string | undefined
  /** Pause before another attempt to download; default 1 s. */
  readonly pause?: Duration.DurationInput
  /** Called with the current step and its progress, from 0 to 1. */
  readonly progress: (doing: "downloading" | "unpacking", share: number) => void
}

/** Facts for the record of a voice. */
type Facts = Pick<VoiceRecord, "id" | "name" | "licence" | "source" | "languages"> & {
  readonly sha256?: string
}

/** Largest unpacked size of an archive that is not in the catalogue. */
const maxUnknown = 4_000_000_000

/** Downloads and installs a voice of the catalogue. */
export const installCatalogued = Effect.fn("VoiceInstallation.installCatalogued")(function* (
  voice: CataloguedVoice,
  target: InstallTarget
) {
  const { id, bytes, sha256, unpacked } = voice
  const [first, ...others] = voice.addresses.map((address) =>
    target.mirror === undefined ? address : `${target.mirror.replace(/\/+$/u, "")}/${basename(address)}`
  )
  const part = join(target.folder, `${id}.part`)
  yield* disk(id, "create the folder", () => mkdir(target.folder, { recursive: true }))
  const here = yield* sizeOf(part)
  yield* enoughSpace(id, target.folder, bytes - here + unpacked)
  const from = (address: string) =>
    downloadVoice({
      voice: id,
      address,
      bytes,
      sha256,
      part,
      pause: target.pause,
      progress: (done) => target.progress("downloading", done / bytes)
    })
  const download = others.reduce(
    (tried, address) =>
      Effect.catchIf(
        tried,
        ({ reason }) => reason === "network",
        () => from(address)
      ),
    from(first ?? "")
  )
  yield* download
  const facts = { ...voice, source: voice.addresses[0] }
  const record = yield* staged(facts, target, (staging) =>
    unpackInto(part, staging, id, unpacked, target)
  ).pipe(
    // The digest is right, so the published file itself is unusable: delete it.
    Effect.tapError(({ reason }) => (reason === "files" ? removeFile(part) : Effect.void))
  )
  yield* removeFile(part)
  return record
})

/** Installs a folder, a Piper voice's `.onnx` file, or an archive. The originals stay as they are. */
export const installLocal = Effect.fn("VoiceInstallation.installLocal")(function* (
  path: string,
  target: InstallTarget
) {
  const id = voiceIdOf(path.replace(/\.tar\.(?:bz2|gz)$/u, ""))
  const found = yield* Effect.promise(() => stat(path).catch(() => undefined))
  if (found === undefined)
    return yield* new VoiceNotAdded({
      voice: path,
      reason: "unknown",
      detail: "no such voice, folder or file; dubwright voices list shows the voices to download"
    })
  yield* disk(id, "create the folder", () => mkdir(target.folder, { recursive: true }))
  const facts: Facts = {
    id,
    name: id,
    licence: { name: "unknown", note: "see the files of the voice" },
    source: path,
    languages: []
  }
  return yield* staged(facts, target, (staging) => {
    if (found.isDirectory())
      return disk(id, "copy the voice", async () => {
        await cp(path, staging, { recursive: true, dereference: true })
        return undefined
      })
    if (path.endsWith(".onnx"))
      return disk(id, "copy the voice", async () => {
        await mkdir(staging)
        const beside = ["MODEL_CARD", "LICENSE", "tokens.txt"]
        const files = [path, `${path}.json`, ...beside.map((name) => join(dirname(path), name))]
        for (const file of files) if (existsSync(file)) await copyFile(file, join(staging, basename(file)))
        return basename(path)
      })
    return unpackInto(path, staging, id, maxUnknown, target)
  })
})

/** Removes an installed voice, and an incomplete download of it. Returns whether there was any. */
export const removeVoice = Effect.fn("VoiceInstallation.removeVoice")(function* (id: string, folder: string) {
  const own = join(folder, id)
  const part = join(folder, `${id}.part`)
  const present = [own, part].filter((path) => existsSync(path))
  return yield* disk(id, "remove the voice", async () => {
    if (existsSync(own)) {
      // Renamed first, so that it disappears at once and as a whole.
      const away = join(folder, `${passing.removed}${randomUUID()}`)
      await rename(own, away)
      await rm(away, { recursive: true, force: true })
    }
    await rm(part, { force: true })
    await rm(`${part}.json`, { force: true })
    return present.length > 0
  })
})

/** The names of folders that exist only while a voice is installed or removed. */
const passing = { staging: ".staging-", removed: ".removed-" } as const

/** Removes the leftovers of a killed process. Call it only while holding the folder's lock. */
export const clearLeftovers = (folder: string) =>
  disk(folder, "remove leftover files", async () => {
    for (const name of await readdir(folder))
      if (Object.values(passing).some((prefix) => name.startsWith(prefix)))
        await rm(join(folder, name), { recursive: true, force: true })
  })

/**
 * Fills a staging folder, checks it, adds the record, and renames it. `fill` returns the file to load, or undefined to
 * load the folder.
 */
const staged = (
  facts: Facts,
  target: InstallTarget,
  fill: (staging: string) => Effect.Effect<string | undefined, VoiceNotAdded>
) => {
  const { id } = facts
  const staging = join(target.folder, `${passing.staging}${randomUUID()}`)
  return Effect.gen(function* () {
    const model = (yield* fill(staging)) ?? ""
    const checked = yield* Effect.tryPromise({
      try: () =>
        checkModel(join(staging, model), {
          cache: join(staging, ".converted"),
          steady: true,
          espeakData: () => espeakDataFolder(target.cache)
        }),
      catch: (cause) =>
        cause instanceof ModelUnusable
          ? new VoiceNotAdded({
              voice: id,
              reason: "files",
              detail: `${relative(staging, cause.path) || "its files"}: ${cause.detail}`
            })
          : diskFault(id, "check the voice", cause)
    })
    const [first, ...others] = offeredVoices({ ...facts, path: "" }, checked).map(({ voice }) => voice)
    if (first === undefined)
      return yield* new VoiceNotAdded({ voice: id, reason: "files", detail: "the model has no speakers" })
    const record: VoiceRecord = {
      id,
      name: facts.name,
      licence: facts.licence,
      source: facts.source,
      ...(facts.sha256 === undefined ? {} : { sha256: facts.sha256 }),
      model,
      languages: facts.languages,
      speakers: [first, ...others],
      files: {}
    }
    yield* disk(id, "install the voice", async () => {
      await rm(join(staging, ".converted"), { recursive: true, force: true })
      const files = await sizesIn(staging)
      const text = Schema.encodeSync(VoiceRecordJson)({ ...record, files })
      await writeFile(join(staging, recordFile), `${text}\n`)
      const own = join(target.folder, id)
      const away = join(target.folder, `${passing.removed}${randomUUID()}`)
      if (existsSync(own)) await rename(own, away)
      await rename(staging, own)
      await rm(away, { recursive: true, force: true })
    })
    return record
  }).pipe(Effect.ensuring(Effect.promise(() => rm(staging, { recursive: true, force: true }))))
}

const unpackInto = (archive: string, staging: string, id: string, bytes: number, target: InstallTarget) =>
  disk(id, "unpack the voice", async () => {
    await mkdir(staging)
    const { size } = await stat(archive)
    await unpackArchive(archive, staging, { voice: id, bytes }, (done) =>
      target.progress("unpacking", Math.min(1, done / Math.max(size, 1)))
    )
    return undefined
  })

const enoughSpace = (id: string, folder: string, needed: number) =>
  Effect.gen(function* () {
    const { bavail, bsize } = yield* disk(id, "read the free space", () => statfs(folder))
    const free = bavail * bsize
    if (free < needed)
      return yield* new VoiceNotAdded({
        voice: id,
        reason: "disk",
        detail: `it needs ${megabytes(needed)} while it is installed, but the disk has ${megabytes(free)}; free some space, or set DUBWRIGHT_VOICES to another folder`
      })
  })

const disk = <A>(id: string, doing: string, work: () => Promise<A>): Effect.Effect<A, VoiceNotAdded> =>
  Effect.tryPromise({ try: work, catch: (cause) => diskFault(id, doing, cause) })

const removeFile = (path: string) => Effect.promise(() => rm(path, { force: true }))

const sizesIn = async (folder: string): Promise<Readonly<Record<string, number>>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Object.fromEntries(
    await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        return [relative(folder, path).replaceAll("\\", "/"), (await stat(path)).size] as const
      })
    )
  )
}

/**
 * Downloads a file of known size and digest. An interrupted download leaves its `.part` file, which the next one
 * continues. Any other failure leaves nothing.
 */

/** A file to download. */
interface DownloadRequest {
  /** The voice's id, for errors. */
  readonly voice: string
  readonly address: string
  readonly bytes: number
  readonly sha256: string
  /** The path of the incomplete file. */
  readonly part: string
  /** Pause before the next attempt; default 1 s. */
  readonly pause?: Duration.DurationInput | undefined
  /** Called with the number of bytes received so far. */
  readonly progress: (bytes: number) => void
}

/** Attempts to continue after the connection is lost. */
const attempts = 3
/** Without data for this long, the connection counts as lost. */
const silentFor = "60 seconds"

/** The connection was lost. */
class Interrupted extends Data.TaggedError("Interrupted")<{ readonly why: string }> {}

/** Downloads the file to `part`; succeeds once its size and digest are right. */
const downloadVoice = Effect.fn("VoiceInstallation.downloadVoice")(function* (request: DownloadRequest) {
  const { voice, bytes, part } = request
  yield* fetchRest(request).pipe(
    Effect.retry({
      while: ({ _tag }) => _tag === "Interrupted",
      schedule: Schedule.spaced(request.pause ?? "1 second").pipe(
        Schedule.intersect(Schedule.recurs(attempts - 1))
      )
    }),
    Effect.catchTag("Interrupted", ({ why }) =>
      Effect.flatMap(
        sizeOf(part),
        (here) =>
          new VoiceNotAdded({
            voice,
            reason: "network",
            detail: `the download from ${hostOf(request)} stopped at ${megabytes(here)} of ${megabytes(bytes)} (${why}); run the same command again to continue it`
          })
      )
    )
  )
  const found = yield* disk(voice, "read the download", () => sha256OfFile(part))
  if (found !== request.sha256) {
    yield* discard(part)
    return yield* new VoiceNotAdded({
      voice,
      reason: "files",
      detail: `the download has the SHA-256 ${found}; expected ${request.sha256}: the file at ${hostOf(request)} was replaced or damaged, and was deleted`
    })
  }
  yield* Effect.promise(() => rm(stampOf(part), { force: true }))
})

/** Fetches the missing part of the file. */
const fetchRest = (request: DownloadRequest) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { voice, address, bytes, part } = request
      const here = yield* sizeOf(part)
      if (here === bytes) return
      const version = here > 0 && here < bytes ? yield* versionOf(request) : undefined
      const client = (yield* HttpClient.HttpClient).pipe(HttpClient.followRedirects(8))
      const response = yield* client
        .execute(
          HttpClientRequest.get(address).pipe(
            HttpClientRequest.setHeaders({
              accept: "*/*",
              "accept-encoding": "identity",
              ...(version === undefined ? {} : { range: `bytes=${here}-`, "if-range": version })
            })
          )
        )
        .pipe(
          Effect.mapError((cause) => new Interrupted({ why: rootMessage(cause) })),
          Effect.timeoutFail({
            duration: silentFor,
            onTimeout: () => new Interrupted({ why: "no response" })
          })
        )
      const from = yield* startOf(request, response, here)
      const stamp: Version = {
        address,
        version: response.headers["etag"] ?? response.headers["last-modified"] ?? ""
      }
      yield* disk(voice, "write the download", () => writeFile(stampOf(part), JSON.stringify(stamp)))
      yield* received(request, response, from)
    })
  )

/** Returns where the response's body begins in the file. Fails if it is another file, or none. */
const startOf = (
  request: DownloadRequest,
  { status, headers }: HttpClientResponse.HttpClientResponse,
  here: number
): Effect.Effect<number, VoiceNotAdded | Interrupted> => {
  const { voice, bytes, part } = request
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/u.exec(headers["content-range"] ?? "") ?? []
  const isRest = status === 206 && Number(first) === here
  if (!isRest && status !== 200) {
    if (status === 429 || status >= 500 || status === 408)
      return Effect.fail(new Interrupted({ why: `HTTP status ${status}` }))
    // A range that the server does not have: the rest is fetched from the beginning.
    if (status === 416 || status === 206)
      return Effect.zipRight(discard(part), Effect.fail(new Interrupted({ why: `HTTP status ${status}` })))
    return new VoiceNotAdded({
      voice,
      reason: "network",
      detail: `${hostOf(request)} responded with HTTP status ${status}; check ${request.address}, or set DUBWRIGHT_VOICES_MIRROR`
    })
  }
  const size = isRest ? Number(total) : Number(headers["content-length"] ?? bytes)
  if (size === bytes) return Effect.succeed(isRest ? here : 0)
  return Effect.zipRight(
    discard(part),
    new VoiceNotAdded({
      voice,
      reason: "files",
      detail: `the file at ${hostOf(request)} has ${size} bytes; expected ${bytes}: it was replaced, so it was not downloaded`
    })
  )
}

/** Writes the response's body to the file, from a position on. */
const received = (request: DownloadRequest, response: HttpClientResponse.HttpClientResponse, from: number) =>
  Effect.gen(function* () {
    const { voice, bytes, part } = request
    const file = yield* Effect.acquireRelease(
      disk(voice, "write the download", () => open(part, from === 0 ? "w" : "r+")),
      (handle) => Effect.promise(() => handle.close().catch(() => undefined))
    )
    let at = from
    yield* response.stream.pipe(
      Stream.mapError((cause) => new Interrupted({ why: rootMessage(cause) })),
      Stream.timeoutFail(() => new Interrupted({ why: "no data" }), silentFor),
      Stream.runForEach((chunk) =>
        Effect.gen(function* () {
          if (at + chunk.length > bytes) {
            yield* discard(part)
            return yield* new VoiceNotAdded({
              voice,
              reason: "files",
              detail: `the file at ${hostOf(request)} is longer than ${bytes} bytes: it was replaced, so the download was deleted`
            })
          }
          yield* disk(voice, "write the download", () => file.write(chunk, 0, chunk.length, at))
          at += chunk.length
          request.progress(at)
        })
      )
    )
    if (at < bytes) return yield* new Interrupted({ why: "the connection was closed" })
  })

const Version = Schema.Struct({ address: Schema.String, version: Schema.String })
type Version = typeof Version.Type

/** The validator of the file, stored with the part; undefined if the download cannot be continued safely. */
const versionOf = ({ part, address }: DownloadRequest): Effect.Effect<string | undefined> =>
  Effect.promise(() => readFile(stampOf(part), "utf8").catch(() => "")).pipe(
    Effect.map((text) => Option.getOrUndefined(Schema.decodeUnknownOption(Schema.parseJson(Version))(text))),
    // A weak validator does not identify bytes.
    Effect.map((found) =>
      found?.address === address && /^(?!W\/)./u.test(found.version) ? found.version : undefined
    )
  )

const stampOf = (part: string): string => `${part}.json`

/** Returns a file's size; 0 if there is none. */
const sizeOf = (file: string): Effect.Effect<number> =>
  Effect.promise(async () => (await stat(file).catch(() => undefined))?.size ?? 0)

const discard = (part: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await rm(part, { force: true })
    await rm(stampOf(part), { force: true })
  })

const hostOf = ({ address }: DownloadRequest): string => new URL(address).host

// Unpacks an archive of a voice (tar, with bzip2 or gzip). Refuses everything but plain files and folders.

/** Limits on the contents of an archive. */
interface UnpackLimits {
  /** The voice's id, for errors. */
  readonly voice: string
  /** Maximum bytes of all files. */
  readonly bytes: number
}

/** A voice has at most some hundred files, most of them eSpeak NG's. */
const maxFiles = 5_000
/** Room for the headers of an archive's entries. */
const headers = 10_000_000

/**
 * Unpacks `archive` into `folder`, without the archive's own root folder. Throws `VoiceNotAdded`, or the system's
 * error. `progress` is called with the number of unpacked bytes.
 */
export const unpackArchive = async (
  archive: string,
  folder: string,
  limits: UnpackLimits,
  progress: (bytes: number) => void
): Promise<void> => {
  const fault = (detail: string) =>
    new VoiceNotAdded({
      voice: limits.voice,
      reason: "files",
      detail: `the archive ${detail}; nothing was installed`
    })
  let files = 0
  let bytes = 0
  let unpacked = 0
  const bounded = new Transform({
    transform: (chunk: Buffer, _, done) => {
      unpacked += chunk.length
      if (unpacked > limits.bytes + headers) return done(fault(`unpacks to more than ${limits.bytes} bytes`))
      progress(unpacked)
      done(null, chunk)
    }
  })
  /** Returns the path of an entry's file; undefined for a folder. */
  const targetOf = (header: Header): string | undefined => {
    const path = safePath(header, fault)
    bytes += header.size ?? 0
    if (++files > maxFiles) throw fault(`has more than ${maxFiles} files`)
    if (bytes > limits.bytes) throw fault(`unpacks to more than ${limits.bytes} bytes`)
    return header.type === "directory" || path === undefined ? undefined : join(folder, ...path)
  }
  const entries = extract()
  // The pipeline does not notice a failed entry if it has passed on everything by then.
  const refused = new Promise<never>((_, reject) => {
    entries.on("entry", (header, entry, next) => {
      // A refused entry has no reader. It fails with the archive, and an error without a listener ends the process.
      entry.on("error", () => undefined)
      const write = async () => {
        const target = targetOf(header)
        if (target === undefined) return void entry.resume()
        await mkdir(dirname(target), { recursive: true })
        await pipeline(entry, createWriteStream(target, { flags: "wx", mode: 0o644 }))
      }
      write().then(() => next(), reject)
    })
  })
  const source = createReadStream(archive)
  const unpacking = (async () => pipeline(source, await decoderOf(archive, fault), bounded, entries))()
  try {
    await Promise.race([unpacking, refused])
  } catch (cause) {
    unpacking.catch(() => undefined)
    source.destroy()
    if (cause instanceof VoiceNotAdded || (cause instanceof Error && "code" in cause && isSystem(cause.code)))
      throw cause
    throw fault("is damaged or incomplete")
  }
  if (files === 0) throw fault("is empty")
}

/** Whether a code is the system's, such as ENOSPC, not a library's. */
const isSystem = (code: unknown): boolean => typeof code === "string" && /^E[A-Z]+$/u.test(code)

/** Returns an entry's path below the root folder; undefined for the root folder itself. */
const safePath = ({ name, type }: Header, fault: (detail: string) => VoiceNotAdded) => {
  const shown = JSON.stringify(name.slice(0, 200))
  if (type !== "file" && type !== "directory" && type !== "contiguous-file")
    throw fault(`contains ${shown}, which is a ${type ?? "special file"}, not a file or folder`)
  const parts = name.split("/").filter((part) => part !== "" && part !== ".")
  if (name.startsWith("/") || /[\\:\0]/u.test(name) || parts.includes(".."))
    throw fault(`contains the path ${shown}, which leads out of its folder`)
  const below = parts.slice(1)
  if (type !== "directory" && below.length === 0)
    throw fault(`contains ${shown} outside of a folder; expected one folder with the voice's files`)
  return below.length === 0 ? undefined : below
}

/** Returns the decoder of an archive by its first bytes. */
const decoderOf = async (archive: string, fault: (detail: string) => VoiceNotAdded) => {
  const handle = await open(archive, "r")
  try {
    const { buffer } = await handle.read(Buffer.alloc(3), 0, 3, 0)
    if (buffer.toString("latin1") === "BZh") return unbzip2()
    if (buffer[0] === 0x1f && buffer[1] === 0x8b) return createGunzip()
    throw fault("is neither a .tar.bz2 nor a .tar.gz file")
  } finally {
    await handle.close()
  }
}
