/** Keeps V8's compiled code between runs, which makes later ones start faster. Node can do so from version 22.8 on. */
import * as nodeModule from "node:module"
import { join } from "node:path"
import { cacheFolder, homeFolder } from "../../system/UserFolders.ts"

const compiled: {
  readonly createRequire: unknown
  readonly enableCompileCache?: (folder: string) => unknown
  readonly flushCompileCache?: () => void
} = nodeModule

/** Keeps the code that is compiled from now on. `NODE_COMPILE_CACHE` chooses another folder. */
export const keepCompiledCode = (): void => {
  const home = homeFolder()
  if (home === undefined) return
  compiled.enableCompileCache?.(join(cacheFolder(process.platform, process.env, home), "compiled"))
}

/** Writes the code compiled so far. V8 rejects code compiled under other flags, so call it before they change. */
export const storeCompiledCode = (): void => compiled.flushCompileCache?.()
