// Bundles the command, src/app/Program.ts, as CommonJS files. Node loads many small ones in a third of the time that ES
// modules take. On Node 20, it can keep compiled code between runs only for CommonJS
// (src/app/layers/CompiledProgram.ts).
import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import { build, transform } from "esbuild"

/** In CommonJS, the address of the file itself must be made from its path. */
const address = 'var __address=require("node:url").pathToFileURL(__filename).href;'

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
      const { code, map } = await transform(text, {
        format: "cjs",
        target: options.target,
        platform: "node",
        supported: { "dynamic-import": false },
        minifyWhitespace: options.minifyWhitespace,
        legalComments: "none",
        sourcemap: "external",
        sourcefile: path,
        banner: /\b__address\b/u.test(text) ? address : ""
      })
      writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`)
      writeFileSync(`${path}.map`, map)
    })
  )
  return bundled
}
