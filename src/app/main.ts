/** Entry point of the `dubwright` command. Prints the version without loading the rest, which is in `Program.ts`. */
import { createRequire } from "node:module"
import { version } from "../domain/values/Version.ts"
import { keepCompiledCode, storeCompiledCode } from "./layers/CompileCache.ts"
import { tuneGc } from "./layers/GcTuning.ts"

if (process.argv[2] === "--version") process.stdout.write(`${version}\n`)
else {
  keepCompiledCode()
  createRequire(import.meta.url)("./Program.cjs")
  tuneGc(storeCompiledCode)
}
