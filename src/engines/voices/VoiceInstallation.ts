/**
 * Installs neural voices from the catalogue, a folder, a Piper file or an archive. Each appears complete or not at all.
 */
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { copyFile, cp, mkdir, readdir, rename, rm, stat, statfs, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { type Duration, Effect, Schema } from "effect"
import { espeakDataFolder } from "../neural/EspeakData.ts"
import { checkModel } from "../neural/ModelFolder.ts"
import { ModelUnusable } from "../neural/ModelFault.ts"
import { offeredVoices } from "../neural/SherpaEngine.ts"
import { unpackArchive } from "./ArchiveUnpacking.ts"
import type { CataloguedVoice } from "./VoiceCatalogue.ts"
import { downloadVoice } from "./VoiceDownload.ts"
import { diskFault, megabytes, VoiceNotAdded } from "./VoiceFault.ts"
import { recordFile, voiceIdOf, type VoiceRecord, VoiceRecordJson } from "./VoiceRecord.ts"

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
const largestUnknown = 4_000_000_000

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
  const here = yield* disk(id, "read the folder", async () =>
    existsSync(part) ? (await stat(part)).size : 0
  )
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
    return unpackInto(path, staging, id, largestUnknown, target)
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
