/** Subtitles outside of this project, for tests that read many; such tests are skipped where they are not at hand. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../../shared/corpus")

/** Whether there is a corpus beside the project. */
export const hasCorpus = existsSync(root)

/** A file's bytes, by its path in the corpus. */
export const corpusFile = (path: string): Uint8Array => readFileSync(join(root, path))

/** The paths of all real subtitles, by language. */
export const realFiles = (): ReadonlyArray<{ readonly language: string; readonly path: string }> =>
  hasCorpus
    ? readdirSync(join(root, "real"), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name: language }) =>
          readdirSync(join(root, "real", language)).map((file) => ({
            language,
            path: `real/${language}/${file}`
          }))
        )
    : []
