/** Reads clip files in sequence and verifies their checksums. It has few imports, because worker threads load it. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { checksumOf } from "./Checksum.ts"

export const storedClipName = (key: UtteranceKey): string => `${key}.wav`

/** Reads all files into one buffer. Throws file system errors. */
export class ClipReader {
  private room = Buffer.alloc(0)

  /** `clips` is the clip folder. */
  constructor(private readonly clips: string) {}

  /**
   * Passes the bytes of a clip's file to `use` and returns its result. The bytes are valid only until `use` returns.
   * Undefined if the file is missing or its checksum differs.
   */
  read<A>(key: UtteranceKey, checksum: string, use: (bytes: Uint8Array) => A): A | undefined {
    const file = openedIfThere(join(this.clips, storedClipName(key)))
    if (file === undefined) return undefined
    try {
      const { size } = fstatSync(file)
      if (this.room.length < size) this.room = Buffer.allocUnsafeSlow(size)
      const bytes = this.room.subarray(0, readSync(file, this.room, 0, size, 0))
      return checksumOf(bytes) === checksum ? use(bytes) : undefined
    } finally {
      closeSync(file)
    }
  }
}

const openedIfThere = (path: string): number | undefined => {
  try {
    return openSync(path, "r")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  }
}
