/** A corpus of subtitles outside this repository; tests that need it are skipped if it is missing. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The folder of the corpus. */
export const corpusFolder = join(import.meta.dirname, "../../../shared/corpus")

/** Whether the corpus is available. */
export const hasCorpus = existsSync(corpusFolder)

/** Reads a file by its path in the corpus. */
export const corpusFile = (path: string): Uint8Array => readFileSync(join(corpusFolder, path))

/** The paths of all real subtitles, by language. */
export const realFiles = (): ReadonlyArray<{ readonly language: string; readonly path: string }> =>
  hasCorpus
    ? readdirSync(join(corpusFolder, "real"), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name: language }) =>
          readdirSync(join(corpusFolder, "real", language)).map((file) => ({
            language,
            path: `real/${language}/${file}`
          }))
        )
    : []
