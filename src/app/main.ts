/**
 * The command `dubwright`. Its version is told at once; everything else is in `Program.ts`, where the words after the
 * command are checked, and `Commands.ts`, where each leads to what it does.
 */
import { version } from "../domain/values/Version.ts"
import { tuneGc } from "./layers/GcTuning.ts"

if (process.argv[2] === "--version") process.stdout.write(`${version}\n`)
else {
  tuneGc()
  await import("./Program.ts")
}
