/** The name and proof of a content: by it clips, results and plans are told to be what was written. */
import { createHash } from "node:crypto"

/** SHA-256 in hexadecimal; of a text, that of its UTF-8. */
export const checksumOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex")
