// Bundles the sources into dist/: the command, its worker threads, the library, the conformance test. Does nothing if
// no input has changed.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bundledPackages, licencesText } from "./build-licences.mjs"
import { bundleCommand } from "./command-bundle.mjs"
import { banner, deferredEntries, lightStart, withoutIdleBanner } from "./light-start.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** Bundles in dist/, and their entry points. */
const entries = {
  dubwright: "src/app/main.ts",
  "engine-worker": "src/engines/local/engine-worker.ts",
  "sherpa-host": "src/engines/neural/sherpa-host.ts",
  "section-worker": "src/pipeline/mix/section-worker.ts",
  "clip-worker": "src/pipeline/clips/clip-worker.ts",
  "mp3-worker": "src/ffmpeg/decode/mp3-worker.ts",
  index: "src/index.ts",
  conformance: "test/conformance/main.ts"
}

/**
 * Packages that are not bundled into the entry `dubwright/effect`, because a program that uses Effect shares one copy
 * of them with the library: those that its types name. package.json lists them as optional peers.
 */
const shared = Object.keys(manifest.peerDependencies)

/**
 * Packages with native code or data stay in node_modules, because they find their files relative to themselves. SQLite
 * is resolved when it is loaded.
 */
const external = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
  (name) => !name.startsWith("better-sqlite3")
)

/** Options for bundling ES modules for Node, which include packages of every module kind. */
export const nodeModules = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  external,
  alias: { "better-sqlite3": "./src/store/state/Sqlite.ts" },
  plugins: [lightStart],
  sourcemap: "linked",
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
  banner: { js: banner }
}

const filesBelow = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()

const fingerprint = () => {
  const hash = createHash("sha256")
  const read = [
    ...filesBelow("src"),
    ...filesBelow("docs"),
    ...(existsSync(join(root, "test/conformance")) ? filesBelow("test/conformance") : [])
  ]
  for (const file of [
    ...read,
    ...[
      ...["scripts/build.mjs", "scripts/build-licences.mjs", "scripts/light-start.mjs"],
      ...["scripts/command-bundle.mjs"],
      ...["package.json", "package-lock.json"]
    ].map((name) => join(root, name))
  ]) {
    hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

/** Bundles the scripts and styles embedded in the report pages, by page. They run in browsers of recent years. */
const pageParts = async (bundle) => {
  const packages = []
  const pages = ["job", "batch", "review", "plan"]
  const { outputFiles, metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: pages.flatMap((page) => [
      { in: `src/pages/browser/${page}-page.ts`, out: page },
      { in: `src/pages/styles/${page}.css`, out: page }
    ]),
    outdir: "dist",
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    target: ["chrome105", "firefox125", "safari16.4"],
    charset: "utf8",
    legalComments: "inline",
    logLevel: "warning"
  })
  const textOf = (name) => outputFiles.find(({ path }) => path === join(root, "dist", name))?.text
  // A page may be shared on its own, so it includes the licences of its packages.
  const licensed = (page) => {
    const own = bundledPackages(root, Object.keys(metafile.outputs[`dist/${page}.js`].inputs))
    packages.push(...own)
    const notices = own.map(({ title, text }) => `/*! ${title}\n\n${text}\n*/\n`)
    return `${notices.join("")}${textOf(`${page}.js`)}`
  }
  const parts = Object.fromEntries(
    pages.map((page) => [page, { script: licensed(page), style: textOf(`${page}.css`) }])
  )
  return { parts, packages }
}

/** Copies the pages of the manual, which `dubwright help` prints. */
const copyDocs = () => {
  mkdirSync(join(root, "dist/docs"), { recursive: true })
  for (const file of filesBelow("docs").filter((file) => file.endsWith(".md") && !file.includes("decisions")))
    copyFileSync(file, join(root, "dist/docs", basename(file)))
}

/** Builds dist/; returns false if it was up to date. */
export const build = async () => {
  const stamp = join(root, "dist/.stamp")
  const print = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === print) return false
  const { build: bundle } = await import("esbuild")
  mkdirSync(join(root, "dist"), { recursive: true })
  const { version } = manifest
  const pages = await pageParts(bundle)
  const parts = JSON.stringify(pages.parts)
  writeFileSync(join(root, "dist/pages.json"), parts)
  copyDocs()
  const common = {
    outdir: "dist",
    // A command's code is loaded when it runs, so --version and --help respond at once.
    splitting: true,
    metafile: true,
    define: {
      DUBWRIGHT_VERSION: JSON.stringify(version),
      DUBWRIGHT_BUILD: JSON.stringify(print),
      // As a string: the bundler would load an object's literal into every entry point.
      DUBWRIGHT_PAGES: JSON.stringify(parts)
    },
    ...nodeModules
  }
  const program = await bundle({
    ...common,
    entryPoints: Object.fromEntries(
      Object.entries(entries).filter(([, source]) => existsSync(join(root, source)))
    )
  })
  const effects = await bundle({
    ...common,
    entryPoints: { effect: "src/effect.ts" },
    external: [...external, ...shared.flatMap((name) => [name, `${name}/*`])]
  })
  const late = await bundle({
    ...common,
    entryPoints: deferredEntries,
    splitting: false,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    banner: {}
  })
  const command = await bundleCommand(common)
  const bundles = [late, program, effects, command].map(({ metafile }) => metafile)
  const inputs = Object.assign({}, ...bundles.map(({ inputs }) => inputs))
  const outputs = Object.assign({}, ...bundles.map(({ outputs }) => outputs))
  const packages = [...bundledPackages(root, Object.keys(inputs)), ...pages.packages]
  const distinct = [...new Map(packages.map((one) => [one.title, one])).values()]
  writeFileSync(join(root, "dist/LICENSES.txt"), licencesText(distinct))
  const made = new Set(Object.keys(outputs).map((file) => join(root, file)))
  for (const file of [...made].filter((name) => name.endsWith(".mjs")))
    writeFileSync(file, withoutIdleBanner(readFileSync(file, "utf8")))
  for (const file of filesBelow("dist")) {
    if (/-[0-9A-Z]{8}\.[cm]js(\.map)?$/u.test(file) && !made.has(file.replace(/\.map$/u, ""))) rmSync(file)
  }
  const start = join(root, "dist/dubwright.mjs")
  if (existsSync(start)) {
    const code = readFileSync(start, "utf8")
    if (!code.startsWith("#!")) writeFileSync(start, `#!/usr/bin/env node\n${code}`)
    chmodSync(start, 0o755)
    // The manifest's JSON Schema, for editors.
    const schema = execFileSync(process.execPath, [start, "schema"])
    writeFileSync(join(root, "dist/manifest.schema.json"), schema)
  }
  writeFileSync(stamp, print)
  return true
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stderr.write((await build()) ? "built dist/\n" : "dist/ is up to date\n")
}
