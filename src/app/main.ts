/** Entry point of the `dubwright` command. Prints the version without loading the rest, which is in `Program.ts`. */
import { version } from "../domain/values/Version.ts"
import { loadProgram } from "./layers/CompileCache.ts"
import { tuneGc } from "./layers/GcTuning.ts"

const words = process.argv.slice(2)
if (words[0] === "--version") process.stdout.write(`${version}\n`)
else tuneGc(loadProgram("Program.cjs", words))
