/** The files that a glob or a pattern with names matches. */
import { isAbsolute, resolve } from "node:path"
import { Effect } from "effect"
import { glob } from "tinyglobby"
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

/** Lists the files that a glob matches, in the order of their paths. */
export const filesLike = (pattern: string, base: string): Effect.Effect<ReadonlyArray<ListedFile>> =>
  Effect.promise(() => glob(pattern, { cwd: base, absolute: isAbsolute(pattern), onlyFiles: true })).pipe(
    Effect.map((names) => names.map((name) => ({ name, path: resolve(base, name) })).sort(byPath))
  )

const byPath = (a: ListedFile, b: ListedFile): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
