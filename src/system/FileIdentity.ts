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

/** Whether two identities are those of one file with the same content, whose names may have changed in between. */
export const isRenamed = (one: string, other: string): boolean => contentOf(one) === contentOf(other)

const contentOf = (identity: string): string => identity.split(" ").slice(0, 5).join(" ")
