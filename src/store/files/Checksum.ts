/** SHA-256 checksums, which verify that clips, results and plans are unchanged. */
import { createHash } from "node:crypto"

/** Returns the SHA-256 in hexadecimal. Text is hashed as UTF-8. */
export const checksumOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex")

/** Returns the checksum of a value, as JSON. */
export const digestOf = (value: unknown): string => checksumOf(JSON.stringify(value))
