/**
 * Atomic file writes: a file is complete or absent, even after a power cut, and with many machines writing to one
 * folder.
 */
import { randomUUID } from "node:crypto"
import { closeSync, fdatasync, openSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

/** Name prefix of partial files. */
export const partPrefix = ".part-"

/**
 * Writes a temporary file in the folder, syncs it to disk, and renames it. Only the sync runs in another thread: the
 * other calls take microseconds here, and several times that if handed over one by one.
 */
export const writeAtomically = async (folder: string, name: string, bytes: Uint8Array): Promise<void> => {
  const part = join(folder, `${partPrefix}${writer}-${++parts}-${name}`)
  const file = openSync(part, "w")
  try {
    writeAll(file, bytes)
    await syncToDisk(file)
  } finally {
    closeSync(file)
  }
  renameSync(part, join(folder, name))
}

/** Syncs an open file's data to disk, in another thread. */
export const syncToDisk = promisify(fdatasync)

/** Numbers the partial files, so that an abandoned write and its replacement never share one. */
let parts = 0

/** Identifies this process among the writers of the same folder. */
const writer = randomUUID().slice(0, 8)

/** A full disk may accept only some of the bytes. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}
