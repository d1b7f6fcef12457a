/** Recognises an unchanged file without reading it. */
import { statSync } from "node:fs"

/**
 * Returns a text that changes with the file's content, name, owner or links; undefined if there is no such file. It
 * contains the time of the last of these changes, which programs cannot set.
 */
export const fileIdentity = (path: string): string | undefined => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, nlink } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, nlink, ctimeNs].join(" ")
  } catch {
    return undefined
  }
}
