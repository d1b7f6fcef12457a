/** Caches V8's compiled code between runs, which halves the start-up time of later runs. */
import { createRequire } from "node:module"
import { join, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { builtOf } from "../../domain/values/Version.ts"
import { cacheFolder, homeFolder } from "../../system/UserFolders.ts"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { Script } from "node:vm"
import { crc32 } from "node:zlib"

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

// Loads the program from CommonJS files, with the code that V8 compiled in an earlier run.

/** The data that is kept between runs: compiled code by file name, and the commands whose functions it contains. */
interface Kept {
  readonly commands: ReadonlyArray<string>
  readonly code: Map<string, Buffer>
}

type Required = (id: string) => unknown
type Wrapped = (exports: unknown, require: Required, module: object, file: string, folder: string) => void

/**
 * The program whose files are in `folder`. `store` keeps the compiled code; its name must change with the files, since
 * V8 compares only their lengths. `command` is the word that decides which functions a run compiles.
 */
export const compiledProgram = (folder: string, store: string, command: string) => {
  const kept = readStore(store, folder)
  const modules = new Map<string, { readonly exports: unknown }>()
  const scripts = new Map<string, Script>()
  let complete = kept.commands.includes(command)

  /** Runs a file, unless it ran already, and returns its exports. */
  const load = (name: string): unknown => {
    const known = modules.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    modules.set(name, module)
    const file = join(folder, name)
    const cachedData = kept.code.get(name)
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`,
      { filename: file, ...(cachedData === undefined ? {} : { cachedData }) }
    )
    if (script.cachedDataRejected !== false) complete = false
    scripts.set(name, script)
    const wrapped: Wrapped = script.runInThisContext()
    const others = createRequire(file)
    const require = (id: string): unknown => (isPart(id) ? load(id.slice(2)) : others(id))
    wrapped(module.exports, Object.assign(require, { resolve: others.resolve }), module, file, folder)
    return module.exports
  }

  /**
   * Stores the code compiled so far, if that speeds up later runs of this command, and releases the code of earlier
   * runs. Never fails.
   */
  const keep = (): void => {
    const { commands, code } = kept
    if (!complete) {
      complete = true
      for (const [name, script] of scripts) code.set(name, script.createCachedData())
      writeStore(store, folder, { commands: [...new Set([...commands, command])].slice(-40), code })
    }
    code.clear()
  }
  return { load, keep }
}

/** Whether a required name is one of the program's own files. */
const isPart = (id: string): boolean => /^\.\/(?:chunk|[A-Z]\w*)(?:-[0-9A-Z]{8})?\.cjs$/u.test(id)

/** The store's first line. An entry has the name, length and checksum of the code. */
interface Head extends Pick<Kept, "commands"> {
  readonly entries: ReadonlyArray<readonly [name: string, length: number, checksum: number]>
  readonly folder: string
}

/** Reads the store; an unreadable or damaged one is empty, as is that of another folder: the code holds its path. */
const readStore = (store: string, own: string): Kept => {
  const code = new Map<string, Buffer>()
  try {
    const bytes = readFileSync(store)
    let at = bytes.indexOf("\n") + 1
    const { commands, entries, folder }: Head = JSON.parse(bytes.toString("utf8", 0, at))
    for (const [name, length, checksum] of entries) {
      const slice = bytes.subarray(at, at + length)
      // V8 may crash on damaged code.
      if (folder !== own || crc32(slice) !== checksum) return { commands: [], code: new Map() }
      code.set(name, slice)
      at += length
    }
    return { commands, code }
  } catch {
    return { commands: [], code: new Map() }
  }
}

const writeStore = (store: string, folder: string, { commands, code }: Kept): void => {
  const part = `${store}.${process.pid}`
  try {
    mkdirSync(dirname(store), { recursive: true, mode: 0o700 })
    const entries = [...code].map(([name, data]) => [name, data.length, crc32(data)])
    const head = Buffer.from(`${JSON.stringify({ commands, entries, folder })}\n`)
    writeFileSync(part, Buffer.concat([head, ...code.values()]))
    renameSync(part, store)
    for (const old of surplusStores(dirname(store))) removeIfThere(old)
  } catch {
    removeIfThere(part)
  }
}

/** How many stores are kept: one for each of the latest builds and Nodes that ran. Each takes a few megabytes. */
const maxStores = 3

/** The stores of the folder beyond the latest ones, and incomplete ones among them. */
const surplusStores = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => /\.code(?:\.\d+)?$/u.test(name))
    .map((name) => join(folder, name))
    .map((file) => ({ file, written: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.written - one.written)
    .slice(maxStores)
    .map(({ file }) => file)

const removeIfThere = (file: string): void => {
  try {
    rmSync(file, { force: true })
  } catch {
    // Its folder cannot be written either.
  }
}
