/** V8's compiled code, kept between runs. It halves what starting costs a later run. */
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { builtOf } from "../../domain/values/Version.ts"
import { cacheFolder, homeFolder } from "../../system/UserFolders.ts"
import { compiledProgram } from "./CompiledProgram.ts"

/**
 * Loads a file of the program beside this one. An unwritable folder is no error. `NODE_COMPILE_CACHE` chooses another
 * folder, and `NODE_DISABLE_COMPILE_CACHE=1` turns it off, as for Node's own cache, which came with Node 22 and keeps
 * less: no function that is compiled when it is first called.
 *
 * Returns a function that caches the code compiled so far. V8 rejects code cached under other flags, so call it before
 * flags change. If nobody has called it, it runs when the process exits.
 */
export const loadProgram = (name: string, words: ReadonlyArray<string>): (() => void) => {
  const folder = process.env["NODE_COMPILE_CACHE"] ?? ownFolder()
  if (folder === undefined || process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined) {
    createRequire(import.meta.url)(`./${name}`)
    return () => {}
  }
  const { version, arch } = process
  const store = join(folder, `${version}-${arch}-${builtOf.slice(0, 16)}.code`)
  const { load, keep } = compiledProgram(fileURLToPath(new URL(".", import.meta.url)), store, words[0] ?? "")
  process.once("exit", keep)
  load(name)
  return () => {
    process.off("exit", keep)
    keep()
  }
}

/** Undefined for a user without a home folder. */
const ownFolder = (): string | undefined => {
  const home = homeFolder()
  return home === undefined ? undefined : join(cacheFolder(process.platform, process.env, home), "compiled")
}
