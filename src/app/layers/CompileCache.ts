/** Caches V8's compiled code between runs, which halves the start-up time of later runs. */
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { builtOf } from "../../domain/values/Version.ts"
import { cacheFolder, homeFolder } from "../../system/UserFolders.ts"
import { compiledProgram } from "./CompiledProgram.ts"

/**
 * Loads a file of the program from this file's folder. An unwritable cache folder is not an error. `NODE_COMPILE_CACHE`
 * chooses another folder, and `NODE_DISABLE_COMPILE_CACHE=1` turns the cache off, as with Node's own cache. Node's
 * cache exists since Node 22, and omits functions that are compiled at their first call.
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
