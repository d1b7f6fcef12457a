/** Digests of films, whose bytes take too long to read. */
import { open, stat } from "node:fs/promises"
import { digestOf } from "./Checksum.ts"

/** How many bytes of a film's beginning and end are part of its digest. */
const sampledBytes = 65_536

/** A digest of a film's size, time and both ends, and of its use; `edition` is the version of that use. */
export const digestOfFilm = async (
  path: string,
  edition: number,
  ...use: ReadonlyArray<unknown>
): Promise<string> => {
  const { size, mtimeMs } = await stat(path)
  const file = await open(path)
  try {
    const bytes = Buffer.alloc(2 * sampledBytes)
    await file.read(bytes, 0, sampledBytes, 0)
    await file.read(bytes, sampledBytes, sampledBytes, Math.max(0, size - sampledBytes))
    return digestOf([edition, size, mtimeMs, ...use, bytes.toString("base64")])
  } finally {
    await file.close()
  }
}
