// An esbuild plugin that removes code from the start-up that no command needs there.
import { readFileSync } from "node:fs"

/**
 * Changes to packages, by file. Each is a text that the file must hold and its replacement, so that an update of the
 * package that moves the text fails the build.
 */
const changes = [
  // Compiling the patterns of all emoji and all marks takes 30 ms: string-width does it at the first text beyond ASCII.
  {
    file: /string-width.index\.js$/u,
    from: "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v",
    to: `let allEmoji; const rgiEmojiRegex = {
      test: (text) =>
        /[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20e3]/u.test(text) &&
        (allEmoji ??= /^\\p{RGI_Emoji}$/v).test(text)
    }`
  },
  {
    file: /string-width.index\.js$/u,
    from: "const zeroWidthClusterRegex = ",
    to: "let zeroWidth; const zeroWidthCluster = () => zeroWidth ??= "
  },
  { file: /string-width.index\.js$/u, from: "zeroWidthClusterRegex.test(", to: "zeroWidthCluster().test(" },
  {
    file: /string-width.index\.js$/u,
    from: "const leadingNonPrintingRegex = ",
    to: "let nonPrinting; const leadingNonPrinting = () => nonPrinting ??= "
  },
  {
    file: /string-width.index\.js$/u,
    from: "segment.replace(leadingNonPrintingRegex, '')",
    to: "segment.replace(leadingNonPrinting(), '')"
  },
  // fdir looks for its own picomatch. Only tinyglobby needs it, and has it bundled.
  { file: /fdir.dist.index\.mjs$/u, from: '__require.resolve("picomatch");', to: "throw undefined;" }
]

/**
 * Packages that another package imports only for features that this program does not use. `importer` gets an empty
 * module for each.
 */
const absent = [
  // @effect/cli can read options from YAML, TOML and INI files.
  { importer: /@effect.cli.dist.esm.internal.files\.js$/u, names: ["yaml", "toml", "ini"] },
  // Schemas can generate test data.
  { importer: /effect.dist.esm.FastCheck\.js$/u, names: ["fast-check"] },
  // BullMQ can keep queues in PostgreSQL.
  { importer: /bullmq.dist.cjs.index\.js$/u, names: ["./postgres"] },
  // subtitle can parse and write streams.
  { importer: /subtitle.dist.subtitle\.[\w.]+\.js$/u, names: ["multipipe", "split2"] }
]

/**
 * CommonJS packages that are bundled into files of their own, and loaded when one of the functions listed here is first
 * called.
 */
const deferred = {
  "iconv-lite": ["decode", "encodingExists"],
  chardet: ["analyse"],
  picomatch: ["isMatch", "makeRe", "scan"]
}

/** The same, for packages that are imported by the names of their exports, functions or classes. */
const deferredByName = {
  saxes: ["SaxesParser"],
  fflate: ["unzipSync"]
}

/** The entry points of those files. */
export const deferredEntries = Object.fromEntries(
  [...Object.keys(deferred), ...Object.keys(deferredByName)].map((name) => [name, name])
)

const loadedAtFirstCall = (name) => `
  import { createRequire } from "node:module"
  const loaded = () => createRequire(import.meta.url)("./${name}.cjs")
  export default Object.assign((...given) => loaded()(...given), {
    ${deferred[name].map((name) => `${name}: (...given) => loaded().${name}(...given)`).join(", ")}
  })
`

const namesLoadedAtFirstCall = (name) => `
  import { createRequire } from "node:module"
  const loaded = () => createRequire(import.meta.url)("./${name}.cjs")
  ${deferredByName[name]
    .map(
      (one) => `export function ${one}(...given) {
    return new.target ? new (loaded().${one})(...given) : loaded().${one}(...given)
  }`
    )
    .join("\n")}
`

/** Packages whose index only gathers their modules, as `export * as Name`. */
const gathered = ["effect", "@effect/platform", "@effect/cli", "@effect/sql-sqlite-node"]
const named = new RegExp(`^import \\{([^}]*)\\} from "(${gathered.join("|")})"`, "gmu")
const functions = new Set(["absurd", "flow", "hole", "identity", "pipe", "unsafeCoerce"])

/**
 * Imports modules by their own names instead of through the index: `import { Effect } from "effect"` becomes `import *
 * as Effect from "effect/Effect"`. esbuild keeps every export of a module that it meets through an index, used or not.
 */
const importDirectly = (code) =>
  code.replaceAll(named, (statement, list, from) => {
    const imports = list
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "" && !one.startsWith("type "))
      .map((one) => {
        const [name, local = name] = one.split(" as ")
        return functions.has(name)
          ? `import { ${one} } from "${from}/Function"`
          : `import * as ${local} from "${from}/${name}"`
      })
    // One line of code for each line of source keeps the lines of stack traces.
    return imports.join("; ") + "\n".repeat(statement.split("\n").length - 1)
  })

/** The plugin. */
export const lightStart = {
  name: "light-start",
  setup: ({ onResolve, onLoad }) => {
    onResolve(
      { filter: /^(?:yaml|toml|ini|fast-check|multipipe|split2|\.\/postgres)$/ },
      ({ importer, path }) =>
        absent.some((one) => one.importer.test(importer) && one.names.includes(path))
          ? { path, namespace: "absent" }
          : undefined
    )
    onLoad({ filter: /^/, namespace: "absent" }, () => ({
      contents: "export const parse = undefined, array = undefined"
    }))
    onResolve({ filter: /^(?:iconv-lite|chardet|picomatch)$/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: "deferred" } : undefined
    )
    // Packages may import other exports of these.
    onResolve({ filter: /^(?:saxes|fflate)$/ }, ({ kind, path, importer }) =>
      kind === "import-statement" && !importer.includes("node_modules")
        ? { path, namespace: "deferred" }
        : undefined
    )
    onLoad({ filter: /^/, namespace: "deferred" }, ({ path }) => ({
      contents: Object.hasOwn(deferred, path) ? loadedAtFirstCall(path) : namesLoadedAtFirstCall(path)
    }))
    onLoad({ filter: /(?:string-width.index|fdir.dist.index)\.m?js$/ }, ({ path }) => {
      let code = readFileSync(path, "utf8")
      for (const { from, to } of changes.filter(({ file }) => file.test(path))) {
        if (!code.includes(from)) throw new Error(`${path}: ${from} is gone; change scripts/light-start.mjs`)
        code = code.replaceAll(from, () => to)
      }
      return { contents: code, loader: "js" }
    })
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
      path.includes("node_modules")
        ? undefined
        : { contents: importDirectly(readFileSync(path, "utf8")), loader: "ts" }
    )
  }
}

/** The first code of every bundle of ES modules: CommonJS packages need their own `require` and folder. */
export const banner = [
  'import { createRequire as __createRequire } from "node:module";',
  'import { fileURLToPath as __fileURLToPath } from "node:url";',
  "const require = __createRequire(import.meta.url);",
  "const __filename = __fileURLToPath(import.meta.url);",
  'const __dirname = __fileURLToPath(new URL(".", import.meta.url));'
].join(" ")

/** Removes the banner from a bundle that does not need it, but keeps its line, which source maps count. */
export const withoutIdleBanner = (code) => {
  const rest = code.replace(banner, () => "")
  return /\b(?:require|__filename|__dirname)\b/u.test(rest) ? code : rest
}
