/**
 * A machine's copies of what a fleet has in S3, in a folder that its processes share: clips, and inputs of deliveries
 * by checksum. Copies are complete or absent. The size is bounded: what was used least recently is deleted.
 */
import { createHash } from "node:crypto"
import { createWriteStream, statSync } from "node:fs"
import { readdir, rename, rm, stat, utimes } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { makeFolder } from "../../system/Folder.ts"
import { partOf } from "../../system/AtomicFile.ts"

/** Files used within this time are kept, even if the cache is too large: a delivery may be reading them. */
const inUseFor = 3 * 3_600_000

/** Age after which the work folder of a process that was killed is deleted. */
const abandonedAfter = 24 * 3_600_000

/** Writes a file from a stream; it appears once it is complete. Returns false if its SHA-256 differs. */
export const receiveFile = async (bytes: Readable, target: string, sha256: string): Promise<boolean> => {
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
export const isCached = async (path: string, bytes: number): Promise<boolean> => {
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
export const openWork = async (folder: string, name: string): Promise<string> => {
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
