/** The files that a glob or a pattern with names matches. */
import { isAbsolute, resolve } from "node:path"
import { Effect } from "effect"
import { glob, isDynamicPattern } from "tinyglobby"
import type { NameValues } from "./NamePattern.ts"

/** A file below a folder. */
export interface ListedFile {
  /** Absolute. */
  readonly path: string
  /** Relative to the folder if the glob is, with forward slashes. */
  readonly name: string
}

/** A file, with the text that the names of a pattern match in its path. */
export interface NamedFile extends ListedFile {
  readonly values: NameValues
}

/**
 * Lists the files that a glob matches, in the order of their paths. Names match in either Unicode normalization: macOS
 * often decomposes letters with accents, which keyboards compose.
 */
export const filesLike = (pattern: string, base: string): Effect.Effect<ReadonlyArray<ListedFile>> =>
  Effect.promise(() =>
    glob([...new Set([pattern, pattern.normalize("NFC"), pattern.normalize("NFD")])], {
      cwd: base,
      absolute: isAbsolute(pattern),
      onlyFiles: true
    })
  ).pipe(Effect.map((names) => names.map((name) => ({ name, path: resolve(base, name) })).sort(byPath)))

const byPath = (a: ListedFile, b: ListedFile): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

/**
 * Returns a glob from the command line as `filesLike` reads it. Windows' command interpreters do not expand globs, and
 * separate folders by backslashes, which are escapes in a glob.
 */
export const shellGlob = (written: string, platform: NodeJS.Platform): string => {
  // Elsewhere, a plan of a file need not load the glob library.
  if (platform !== "win32") return written
  const slashed = written.replaceAll("\\", "/")
  return isDynamicPattern(slashed) ? slashed : written
}
