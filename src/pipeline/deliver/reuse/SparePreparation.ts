/**
 * Prepares spares: copies of the WAV and FLAC files of a delivered job, which the first edit then updates instead of
 * copying the files itself. An edit leaves the older version as the next spare, so this is only needed once.
 */
import { constants, statSync } from "node:fs"
import { copyFile, type FileHandle, open } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect } from "effect"
import type { JobId } from "../../../domain/values/Ids.ts"
import { hasRoom } from "../../../ffmpeg/encode/SpareFile.ts"
import { replaceFile } from "../../../system/AtomicFile.ts"
import { fileIdentity } from "../../../system/FileIdentity.ts"
import {
  type MixFile,
  type MixFolder,
  mixFoldersIn,
  type MixRecord,
  readMixRecord,
  writeMixRecord
} from "./MixRecord.ts"

/** Returns whether a file of a job has no spare. `state` is the state folder, `out` the output folder. */
export const lacksSpares = (state: string, out: string, job: JobId): boolean => {
  for (const { folder, record } of recordedMixes(state, out, job))
    if (record.files.some((file) => isWanted(folder, file))) return true
  return false
}

/**
 * Copies files of a job that have no spare. Only call it while no one else delivers the job: hold its state. A file
 * that cannot be copied, as on a full disk, has no spare. If interrupted, it leaves no partial copy.
 */
export const prepareSpares = Effect.fn("SparePreparation.prepareSpares")(function* (
  state: string,
  out: string,
  job: JobId
) {
  for (const { folder, record } of recordedMixes(state, out, job)) {
    let present: MixRecord = record
    for (const file of record.files) {
      const spare = isWanted(folder, file) ? yield* spareOf(folder, file) : undefined
      if (spare === undefined) continue
      present = { ...present, files: present.files.map((one) => (one === file ? { ...file, spare } : one)) }
      writeMixRecord(folder, present)
    }
  }
})

/** The mixes of a job that have a record. */
function* recordedMixes(state: string, out: string, job: JobId) {
  const folderOf = mixFoldersIn(state, out, job)
  for (let number = 0; ; number++) {
    const folder = folderOf(number)
    const record = readMixRecord(folder)
    if (record === undefined) return
    yield { folder, record }
  }
}

/** Whether a file is as it was delivered, has no spare, and can have one. */
const isWanted = (folder: MixFolder, { path, present, spare }: MixFile): boolean => {
  const kept = folder.pathOf("spare", path)
  try {
    return (
      fileIdentity(path) === present.identity &&
      (spare === undefined || fileIdentity(kept) !== spare.identity) &&
      // Only within a file system can the spare take the place of the file.
      statSync(path).dev === statSync(dirname(kept)).dev &&
      hasRoom(path, 1)
    )
  } catch {
    return false
  }
}

/** Copies a file to its spare; returns undefined if that is not possible. */
const spareOf = (folder: MixFolder, { path, present }: MixFile) => {
  const kept = folder.pathOf("spare", path)
  return replaceFile(
    kept,
    (part) => copied(path, part),
    (_, cause) => cause
  ).pipe(
    Effect.map(() => {
      const made = fileIdentity(kept)
      // The file may have been changed meanwhile.
      return made === undefined || fileIdentity(path) !== present.identity
        ? undefined
        : { ...present, identity: made }
    }),
    Effect.catchAll((cause) => Effect.as(Effect.logDebug("no copy for the next edit", cause), undefined))
  )
}

/** Copies a file in short steps, between which it can be interrupted; shares its blocks if the file system can. */
const copied = (path: string, part: string) =>
  step(() => copyFile(path, part, constants.COPYFILE_FICLONE_FORCE)).pipe(
    Effect.catchAll(() =>
      Effect.scoped(
        Effect.gen(function* () {
          const from = yield* opened(path, "r")
          const to = yield* opened(part, "w")
          const block = Buffer.allocUnsafe(stepBytes)
          while ((yield* step(() => copyBlock(from, to, block))) > 0);
        })
      )
    )
  )

/** Copies the next block. It is on the disk when the step ends, so that an edit need not wait for it. */
const copyBlock = async (from: FileHandle, to: FileHandle, block: Buffer): Promise<number> => {
  const { bytesRead } = await from.read(block, 0, block.length)
  if (bytesRead === 0) return 0
  await to.writeFile(block.subarray(0, bytesRead))
  await to.datasync()
  return bytesRead
}

/** Bytes that a slow disk writes within a tenth of a second. */
const stepBytes = 8 * 1024 * 1024

const opened = (path: string, flags: string) =>
  Effect.acquireRelease(
    step(() => open(path, flags)),
    (file) => Effect.promise(() => file.close())
  )

const step = <A>(work: () => Promise<A>) => Effect.uninterruptible(Effect.tryPromise(work))
