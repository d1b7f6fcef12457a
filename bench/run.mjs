// Bundles a bench and runs it: `node bench/run.mjs speak [arguments…]`.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = join(root, "node_modules/.cache/bench")
const [name, ...rest] = process.argv.slice(2)
const benches = readdirSync(join(root, "bench")).filter((file) => file.endsWith(".ts"))
if (name === undefined || !benches.includes(`${name}.ts`)) {
  process.stderr.write(
    `usage: node bench/run.mjs ${benches.map((file) => file.slice(0, -3)).join("|")} [arguments]\n`
  )
  process.exit(2)
}
await build({
  absWorkingDir: root,
  entryPoints: benches.map((file) => `bench/${file}`),
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  sourcemap: "linked",
  logLevel: "warning"
})
process.exit(
  spawnSync(process.execPath, [join(outdir, `${name}.mjs`), ...rest], { stdio: "inherit" }).status ?? 1
)
