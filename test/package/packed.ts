/** The package as npm publishes it, packed and installed into empty folders. */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const base = mkdtempSync(join(tmpdir(), "dubwright-package-"))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Creates an empty folder, which is deleted after the file's tests. */
export const emptyFolder = (): string => mkdtempSync(join(base, "-"))

/** The output of a process, and its exit code. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, with no more of the environment than `env`. */
export const run = (
  file: string,
  words: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
): Promise<Ended> =>
  new Promise((resolve, reject) =>
    execFile(file, [...words], { ...options, maxBuffer: 1 << 26 }, (cause, stdout, stderr) => {
      if (cause === null) resolve({ code: 0, stdout, stderr })
      else if (typeof cause.code === "number") resolve({ code: cause.code, stdout, stderr })
      else reject(cause)
    })
  )

const { PATH = "", HOME = "" } = process.env

/** The variables that npm needs to reach the registry: proxies and certificates of this machine. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy)$/iu.test(name)
  )
)

/** An npm cache of its own that shares the downloads of the real one: npx leaves nothing behind. */
const cache = async (): Promise<string> => {
  const { stdout } = await run("npm", ["config", "get", "cache"], { cwd: base, env: { PATH, HOME } })
  const own = join(base, "cache")
  if (existsSync(own)) return own
  const shared = join(stdout.trim().split("\n").at(-1) ?? "", "_cacache")
  mkdirSync(shared, { recursive: true })
  mkdirSync(own)
  symlinkSync(shared, join(own, "_cacache"), "junction")
  return own
}

/** Install scripts do not run: they would compile better-sqlite3 on some machines. */
const quickly = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]

/** Runs npm. Its own options come first: what follows `--` is for the program that `npm exec` runs. */
export const npm = async (words: ReadonlyArray<string>, cwd: string): Promise<Ended> =>
  run("npm", [...quickly, ...words], {
    cwd,
    env: { ...network, PATH, HOME, npm_config_cache: await cache() }
  })

interface Packed {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Packs the package, as `npm publish` does; returns the tarball and the paths in it. */
export const pack = async (): Promise<{ tarball: string; paths: ReadonlyArray<string> }> => {
  const folder = emptyFolder()
  const { stdout, stderr, code } = await run(
    "npm",
    ["pack", "--json", "--loglevel=error", "--pack-destination", folder],
    { cwd: process.cwd(), env: { PATH, HOME } }
  )
  if (code !== 0) throw new Error(stderr)
  const [packed]: [Packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n")))
  return { tarball: join(folder, packed.filename), paths: packed.files.map(({ path }) => path) }
}

/** The bytes of all files in a folder. */
export const bytesIn = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
    : 0
