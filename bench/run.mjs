// Bundles and runs a benchmark: `node bench/run.mjs speak [arguments…]`.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { nodeModules } from "../scripts/build.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = join(root, "node_modules/.cache/bench")
const [name, ...rest] = process.argv.slice(2)
const parts = readdirSync(join(root, "bench")).flatMap((file) =>
  file.endsWith(".ts") ? [file.slice(0, -3)] : []
)
// Benchmarks have one-word names; shared modules and separate processes have longer ones.
const benches = parts.filter((part) => /^[a-z]+$/u.test(part))
if (name === undefined || !benches.includes(name)) {
  process.stderr.write(`usage: node bench/run.mjs ${benches.join("|")} [arguments]\n`)
  process.exit(2)
}
// Bundled like the command, so that its memory is measured, not that of packages it only uses in part.
await build({
  entryPoints: {
    ...Object.fromEntries(parts.map((part) => [part, `bench/${part}.ts`])),
    "engine-worker": "src/engines/local/engine-worker.ts",
    "section-worker": "src/pipeline/mix/section-worker.ts",
    "clip-worker": "src/pipeline/clips/clip-worker.ts",
    "mp3-worker": "src/ffmpeg/decode/mp3-worker.ts"
  },
  outdir,
  ...nodeModules
})
process.exit(
  spawnSync(process.execPath, [join(outdir, `${name}.mjs`), ...rest], { stdio: "inherit" }).status ?? 1
)
