/** Compares paths as each operating system does. */
import native from "node:path"

/**
 * Returns the relative path from a folder to a path inside it; undefined if the path is outside. `paths` are the rules
 * of a system. Between drives of Windows there is no relative path.
 */
export const pathInside = (
  folder: string,
  path: string,
  paths: Pick<typeof native, "isAbsolute" | "relative" | "sep"> = native
): string | undefined => {
  const found = paths.relative(folder, path)
  return found === ".." || found.startsWith(`..${paths.sep}`) || paths.isAbsolute(found) ? undefined : found
}

/**
 * Returns the same text for paths that mean one file. Windows and macOS ignore the case of names, macOS also their
 * Unicode normalization.
 */
export const pathKey = (path: string, platform: NodeJS.Platform = process.platform): string => {
  if (platform === "darwin") return path.normalize("NFC").toLowerCase()
  return platform === "win32" ? path.toLowerCase() : path
}
