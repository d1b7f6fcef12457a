/** Entry point of the `dubwright` command. Prints the version without loading the rest, which is in `Program.ts`. */
import { version } from "../domain/values/Version.ts"
import { cacheCompiledCode } from "./layers/CompileCache.ts"
import { tuneGc } from "./layers/GcTuning.ts"

if (process.argv[2] === "--version") process.stdout.write(`${version}\n`)
else {
  cacheCompiledCode()
  tuneGc()
  await import("./Program.ts")
}
