/** The user's folders, by the conventions of each platform. */
import { homedir } from "node:os"
import { posix, win32 } from "node:path"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The user's home folder, or undefined if there is none. Node throws for a user without HOME and without an entry in
 * /etc/passwd, which is common in containers.
 */
export const homeFolder = (find: () => string = homedir): string | undefined => {
  try {
    return find()
  } catch {
    return undefined
  }
}

/**
 * The folder for files that can be made again: `dubwright` in the user's cache folder. The latter is `$XDG_CACHE_HOME`
 * (default `~/.cache`) on Linux and other Unix systems, `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows. By
 * the XDG specification, a relative `XDG_CACHE_HOME` counts as unset:
 * https://specifications.freedesktop.org/basedir-spec/latest/
 */
export const cacheFolder = (platform: NodeJS.Platform, environment: Environment, home: string): string => {
  if (platform === "win32") {
    const local = environment["LOCALAPPDATA"] ?? ""
    return win32.join(local === "" ? win32.join(home, "AppData", "Local") : local, "dubwright", "Cache")
  }
  if (platform === "darwin") return posix.join(home, "Library", "Caches", "dubwright")
  const cache = environment["XDG_CACHE_HOME"] ?? ""
  return posix.join(posix.isAbsolute(cache) ? cache : posix.join(home, ".cache"), "dubwright")
}

/**
 * The folder for files that the user has added, such as voices: `dubwright` in the user's data folder. The latter is
 * `$XDG_DATA_HOME` (default `~/.local/share`), `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows.
 */
export const dataFolder = (platform: NodeJS.Platform, environment: Environment, home: string): string => {
  if (platform === "win32") {
    const local = environment["LOCALAPPDATA"] ?? ""
    return win32.join(local === "" ? win32.join(home, "AppData", "Local") : local, "dubwright", "Data")
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "dubwright")
  const data = environment["XDG_DATA_HOME"] ?? ""
  return posix.join(posix.isAbsolute(data) ? data : posix.join(home, ".local", "share"), "dubwright")
}
