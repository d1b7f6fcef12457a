/** Files that appear whole or not at all, also past a power cut, and where many machines write to one folder. */
import { randomUUID } from "node:crypto"
import { closeSync, fdatasync, openSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

/** What the names of half-written files begin with. */
export const partPrefix = ".part-"

/**
 * Writes beside the place, brings the bytes to the disk, and renames. Only the wait for the disk is left to another
 * thread: the rest takes microseconds here, and a multiple of that when handed over call by call.
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

/** Brings an open file's bytes to the disk, in another thread. */
export const syncToDisk = promisify(fdatasync)

/** Counts half-written files, so that a write that was given up and one that takes its place never share one. */
let parts = 0

/** This process among those that may write to the same folder. */
const writer = randomUUID().slice(0, 8)

/** A full disk may take a part of the bytes only. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}
