/** SHA-256 checksums, which verify that clips, results and plans are unchanged. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"

/** Returns the SHA-256 in hexadecimal. Text is hashed as UTF-8. */
export const checksumOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex")

/** Returns the checksum of a value, as JSON. */
export const digestOf = (value: unknown): string => checksumOf(JSON.stringify(value))

/** Returns the checksum of a file of any size. */
export const checksumOfFile = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(path), hash)
  return hash.digest("hex")
}
