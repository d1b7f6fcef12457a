/** The spoken lines of a real subtitle, for benchmarks. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import { readScript } from "../../src/script/ScriptFile.ts"
import { emptyLexicon } from "../../src/script/spoken/Lexicon.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"

/** Returns the lines, in order; none for a file that cannot be read. */
export const cueTexts = (folder: string, file: string): ReadonlyArray<string> =>
  Either.match(readScript(readFileSync(join(folder, file)), file), {
    onLeft: () => [],
    onRight: (script) =>
      spokenWords(script, {}, emptyLexicon).cues.flatMap((cue) =>
        "parts" in cue ? cue.parts.map(({ said }) => said) : []
      )
  })
