/**
 * The command `dubwright`. Its version is told at once; everything else is in `Program.ts`, where the words after the command
 * are checked, and `Commands.ts`, where each leads to what it does.
 */
import { setFlagsFromString } from "node:v8"
import { version } from "../domain/Version.ts"

if (process.argv[2] === "--version") process.stdout.write(`${version}\n`)
else {
  // Garbage is collected when there is a quarter as much of it as of what is in use, not twice: a run of thousands of
  // utterances leaves buffers behind whose memory nobody else could use meanwhile.
  setFlagsFromString("--heap-growing-percent=25")
  await import("./Program.ts")
}
