/** V8's compiled code, kept between runs. */
import nodeModule from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { cacheFolder } from "../../system/UserFolders.ts"

/**
 * Makes Node keep the compiled code of the modules loaded from here on, which halves the start-up of a later run. Only
 * Node 22.1 and later can. An unwritable folder is no error. `NODE_COMPILE_CACHE` chooses another folder, and
 * `NODE_DISABLE_COMPILE_CACHE=1` turns it off: https://nodejs.org/api/module.html#module-compile-cache
 */
export const cacheCompiledCode = (): void => {
  if (!("enableCompileCache" in nodeModule) || typeof nodeModule.enableCompileCache !== "function") return
  nodeModule.enableCompileCache(process.env["NODE_COMPILE_CACHE"] ?? ownFolder())
}

/** Undefined makes Node choose: a user without an entry in the system's list of users has no home folder. */
const ownFolder = (): string | undefined => {
  try {
    return join(cacheFolder(process.platform, process.env, homedir()), "compiled")
  } catch {
    return undefined
  }
}
