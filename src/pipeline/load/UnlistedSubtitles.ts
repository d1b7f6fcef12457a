/** Finds subtitle files near a manifest that are in none of its jobs. */
import { existsSync } from "node:fs"
import { readdir, readFile, stat } from "node:fs/promises"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { Effect } from "effect"
import picomatch from "picomatch"
import { escapePath, glob } from "tinyglobby"
import { pathKey } from "../../system/PathComparison.ts"
import { isManifest } from "./BatchId.ts"
import type { Batch } from "./Job.ts"
import { globOf } from "./patterns/NamePattern.ts"

/** Folders that are not searched. */
export const elsewhere = ["**/node_modules/**", "**/.dubwright/**", "**/out/**"]

/** Glob patterns of subtitle files. */
export const subtitleFiles = ["**/*.{srt,vtt,sbv,sub,ass,ssa,ttml,dfxp,itt,stl,scc,smi,sami}"]

/** How many folders deep to search below the manifest's. */
export const depth = 3

/**
 * Whether a manifest's text names a file, directly or by a pattern. Comments count too: a job that is commented out was
 * left out on purpose. Paths are relative to the manifest, with forward slashes.
 */
export const namedIn = (text: string): ((file: string) => boolean) => {
  const inputs = [...text.matchAll(/\binput["']?:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s,}"'#][^\n,}#]*))/gu)]
    .flatMap((match) => match[1] ?? match[2] ?? match[3] ?? [])
    .map((input) => globOf(input.trim().replace(/^\.\//u, "")))
  const matches = inputs.filter((input) => /[*?[{(!]/u.test(input)).map((pattern) => picomatch(pattern))
  return (file) => inputs.includes(file) || mentions(text, file) || matches.some((isMatch) => isMatch(file))
}

/** Whether a text contains a path as a whole, not as part of a longer one. */
const mentions = (text: string, file: string): boolean => {
  for (let at = text.indexOf(file); at >= 0; at = text.indexOf(file, at + 1)) {
    const before = text
      .slice(0, at)
      .replace(/(?<![.\w/])\.\/$/u, "")
      .at(-1)
    const after = text[at + file.length]
    if (!/[\p{L}\p{N}_./-]/u.test(before ?? " ") && !/[\p{L}\p{N}_-]/u.test(after ?? " ")) return true
  }
  return false
}

/**
 * Returns the paths of unlisted subtitles, relative to the manifest; none for bare files. A subtitle is listed if any
 * manifest in the folder names it.
 */
export const unlisted = (
  batch: Pick<Batch, "manifest" | "jobs" | "every" | "out" | "state">
): Effect.Effect<ReadonlyArray<string>> =>
  !isManifest(batch.manifest)
    ? Effect.succeed([])
    : Effect.promise(async () => {
        const folder = dirname(resolve(batch.manifest))
        const within = (other: string) => `${escapePath(relative(folder, other).split(sep).join("/"))}/**`
        const files = await glob(subtitleFiles, {
          cwd: folder,
          deep: depth,
          onlyFiles: true,
          ignore: [...elsewhere, within(batch.out), within(batch.state)],
          caseSensitiveMatch: false
        })
        const inputs = new Set((batch.every ?? batch.jobs).map(({ input }) => pathKey(input)))
        const left = files.filter(
          (file) =>
            !inputs.has(pathKey(join(folder, file))) &&
            // Another run may have had another output folder. Each job's results have a report beside them.
            !existsSync(join(folder, dirname(file), "report.json"))
        )
        if (left.length === 0) return []
        const manifests = (await readdir(folder)).filter(isManifest)
        const named = (await Promise.all(manifests.map((name) => textOf(join(folder, name))))).map(namedIn)
        return left.filter((file) => !named.some((isNamed) => isNamed(file))).sort()
      }).pipe(Effect.catchAllDefect(() => Effect.succeed([])))

/** The largest file, in bytes, that is read as a manifest; a larger one holds other data. */
const longest = 4_000_000

const textOf = async (file: string): Promise<string> => {
  const found = await stat(file)
  // Reading a pipe without a writer would never end.
  return found.isFile() && found.size <= longest ? readFile(file, "utf8") : ""
}

/** Returns a one-line notice about unlisted subtitles; undefined for an empty list. */
export const unlistedText = (manifest: string, files: ReadonlyArray<string>): string | undefined => {
  if (files.length === 0) return undefined
  const more = files.length > 3 ? ` and ${files.length - 3} more` : ""
  const what = files.length === 1 ? "subtitle is" : "subtitles are"
  const remedy = basename(manifest) === "dubwright.yaml" ? "dubwright init adds jobs" : "add jobs"
  return `${files.length} ${what} in no job: ${files.slice(0, 3).join(", ")}${more} (${remedy})`
}
