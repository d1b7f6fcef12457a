/**
 * Spares: earlier versions of files, kept under another name. The next edit overwrites one in place, because that takes
 * less time than a new file, whose blocks the file system must find and write out before it replaces the present file.
 */
import { closeSync, openSync, renameSync, statfsSync, statSync } from "node:fs"
import { link, rm } from "node:fs/promises"
import { Effect } from "effect"
import { partFiles, syncToDisk } from "../../system/AtomicFile.ts"
import { attempt, writeRefusal } from "../process/FileFaults.ts"

/** Takes a spare as the next version; returns false if that is not possible, as between file systems. */
export const isMoved = (spare: string, made: string): boolean => {
  try {
    renameSync(spare, made)
    return true
  } catch {
    return false
  }
}

/**
 * Writes the new bytes of a spare to disk. A file system does so with a new file before it replaces another, but not
 * with new bytes of an old file.
 */
export const syncSpare = async (made: string): Promise<void> => {
  const file = openSync(made, "r+")
  try {
    await syncToDisk(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Prepares for a file's next version, which is removed with the scope if it is not in place by then. Returns the step
 * that puts it in place, and keeps the present version as the spare.
 */
export const placeKeeping = (path: string, spare: string) =>
  Effect.map(partFiles([path], writeRefusal), (rename) =>
    Effect.zipRight(
      attempt(path, () => keepSpare(path, spare)),
      rename
    )
  )

/**
 * Keeps the present version of a file as the spare, under a second name, if the disk has room for more of them. It
 * remains when the new version takes its place.
 */
const keepSpare = async (path: string, spare: string): Promise<void> => {
  await rm(spare, { force: true })
  // Fails on another file system, or on one without links.
  if (hasRoom(path)) await link(path, spare).catch(() => undefined)
}

/** Whether the disk has room for spares after so many copies of the file. Throws file system errors. */
export const hasRoom = (path: string, copies = 0): boolean => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize > (leastRoom + copies) * statSync(path).size
}

/** Free space on the disk for which a spare is kept, as a multiple of its size. */
const leastRoom = 4
