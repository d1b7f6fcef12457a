/** Creates folders, with their missing parents. */
import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Creates a folder and its missing parents; throws the system's error if it cannot. Node's `recursive` option hangs if
 * an existing parent accepts no folders, as in /proc or under an automounter.
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
