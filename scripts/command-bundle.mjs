// Bundles the command, src/app/Program.ts, as CommonJS files. Node loads many small ones in a third of the time that ES
// modules take.
import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import { build, transform } from "esbuild"

/** In CommonJS, the address of the file itself must be made from its path. */
const address = 'var __address=require("node:url").pathToFileURL(__filename).href;'

/** The text that declares a variable with its value, one that declares a function, and any that assigns a value. */
const variable = (name) => new RegExp(`\\b(?:var|let|const) ${name}=`, "gu")
const declaration = (name) => new RegExp(`\\b(?:function\\*?|class) ${name}[({ ]`, "gu")
const assignment = (name) => new RegExp(`(?<![\\w$.])${name}(?:[-+*/%&|^?<>]{0,3}=(?![=>])|\\+\\+|--)`, "gu")

/**
 * Returns a statement that exports the values of a file once it has run. Until then, and otherwise always, esbuild
 * exports getters of getters, which take 4 % of a busy service's processor time, and calls through them are not
 * inlined. A name keeps its getter unless it is declared here, with its value, and never assigned again.
 */
const plainExports = (text) => {
  const [, list = ""] = /\bexport\s*\{([^{}]*)\};?\s*(?:\/\/.*\s*)*$/u.exec(text) ?? []
  const count = (pattern) => text.match(pattern)?.length ?? 0
  const parts = list.split(",").flatMap((each) => {
    const [name, exported = name] = each.trim().split(/\s+as\s+/u)
    if (name === "") return []
    const escaped = name.replaceAll("$", "\\$")
    const found = [variable, declaration, assignment].map((pattern) => count(pattern(escaped))).join()
    const isFinal = found === "1,0,1" || found === "0,1,0"
    return isFinal ? `${exported}:${name}` : `get ${exported}(){return ${name}}`
  })
  return parts.length === 0 ? "" : `\nmodule.exports={__esModule:true,${parts.join(",")}};`
}

/**
 * esbuild splits only ES modules into files, so each of those is transformed. The command has files of its own: sharing
 * them with the library and the threads would cut them into twice as many.
 */
export const bundleCommand = async (options) => {
  const bundled = await build({
    ...options,
    entryPoints: { Program: "src/app/Program.ts" },
    outExtension: { ".js": ".cjs" },
    define: { ...options.define, "import.meta.url": "__address" },
    banner: {},
    sourcemap: "inline",
    write: false
  })
  await Promise.all(
    bundled.outputFiles.map(async ({ path, text }) => {
      const { code, map } = await transform(text + plainExports(text), {
        format: "cjs",
        target: options.target,
        platform: "node",
        supported: { "dynamic-import": false },
        minifyWhitespace: options.minifyWhitespace,
        legalComments: "none",
        sourcemap: "external",
        logOverride: { "commonjs-variable-in-esm": "silent" },
        sourcefile: path,
        banner: /\b__address\b/u.test(text) ? address : ""
      })
      writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`)
      writeFileSync(`${path}.map`, map)
    })
  )
  return bundled
}
