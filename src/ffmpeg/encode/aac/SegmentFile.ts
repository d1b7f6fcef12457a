/** Stores the frames of a segment with their checksum. A file that is missing or damaged only costs time. */
import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { partOf } from "../../../system/AtomicFile.ts"

/** Writes the frames of a segment. Throws file system errors. */
export const writeSegment = (path: string, frames: Uint8Array): void => {
  writeFileSync(partOf(path), Buffer.concat([checksum(frames), frames]))
  renameSync(partOf(path), path)
}

/** Returns the frames of a segment; undefined if the file is missing or damaged. */
export const readSegment = (path: string): Uint8Array | undefined => {
  try {
    const bytes = readFileSync(path)
    const frames = bytes.subarray(checksumBytes)
    return checksum(frames).equals(bytes.subarray(0, checksumBytes)) ? frames : undefined
  } catch {
    return undefined
  }
}

const checksumBytes = 32

const checksum = (frames: Uint8Array): Buffer => createHash("sha256").update(frames).digest()
