/** Making folders. */
import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Makes a folder with those above it, where they are missing; throws what the system says where that cannot be. Node's
 * own `recursive` never comes back where a folder above is there and takes none, as in /proc or under an automounter.
 */
export const makeFolder = (path: string, mode?: number): void => {
  try {
    mkdirSync(path, mode)
  } catch (cause) {
    if (isFolder(path)) return
    const above = dirname(path)
    const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    if (!missing || isFolder(above)) throw cause
    makeFolder(above, mode)
    mkdirSync(path, mode)
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
