/** The SHA-256 of a file's bytes, for files of any size. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"

/** Returns the SHA-256 of a file in hexadecimal; of `bytes` bytes from `start` on, if given. */
export const sha256OfFile = async (path: string, start = 0, bytes = Infinity): Promise<string> => {
  const hash = createHash("sha256")
  if (bytes > 0) await pipeline(createReadStream(path, { start, end: start + bytes - 1 }), hash)
  return hash.digest("hex")
}
