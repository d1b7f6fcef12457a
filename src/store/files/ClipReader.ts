/**
 * Clips' files read one after the other, each told from a damaged one by its checksum. It loads little: threads do it.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { checksumOf } from "./Checksum.ts"
import { storedClipName } from "./ClipFile.ts"

/** Reads into one room, file after file. Throws what the file system throws. */
export class ClipReader {
  private room = Buffer.alloc(0)

  /** The folder of clips. */
  constructor(private readonly clips: string) {}

  /**
   * What `use` makes of the bytes of a clip's file, which are its own until it returns; undefined where the file is
   * gone or is not what was written.
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
