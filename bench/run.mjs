// Bundles and runs a benchmark: `node bench/run.mjs speak [arguments…]`.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { nodeModules } from "../scripts/build.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = join(root, "node_modules/.cache/bench")
const [name, ...rest] = process.argv.slice(2)
// A large benchmark has a folder of its own, with an entry of the same name.
const parts = readdirSync(join(root, "bench")).flatMap((file) =>
  file.endsWith(".ts")
    ? [file.slice(0, -3)]
    : existsSync(join(root, `bench/${file}/${file}.ts`))
      ? [file]
      : []
)
const sourceOf = (part) =>
  existsSync(join(root, `bench/${part}.ts`)) ? `bench/${part}.ts` : `bench/${part}/${part}.ts`
// Benchmarks have one-word names; separate processes have longer ones.
const benches = parts.filter((part) => /^[a-z]+$/u.test(part))
if (name === undefined || !benches.includes(name)) {
  process.stderr.write(`usage: node bench/run.mjs ${benches.join("|")} [arguments]\n`)
  process.exit(2)
}
/** Lets the environment replace kernels by their plain loops: `all` of them, or one by its name. */
const plainKernels = {
  name: "plain-kernels",
  setup: ({ onLoad }) =>
    onLoad({ filter: /kernels.Kernels\.ts$/ }, ({ path }) => {
      const plain = JSON.stringify(join(root, "test/audio/kernels/plainKernels.ts"))
      const names = []
      const own = readFileSync(path, "utf8").replace(/^export const (\w+)/gmu, (_, name) => {
        names.push(name)
        return `const own_${name}`
      })
      const chosen = names.map(
        (name) => `export const ${name} = chosen("${name}") ? plain.${name} : own_${name}`
      )
      const contents = `import * as plain from ${plain}
        const chosen = (name) => ["all", name].includes(process.env.DUBWRIGHT_PLAIN_KERNELS)
        ${own}
        ${chosen.join("\n")}`
      return { loader: "ts", contents, resolveDir: dirname(path) }
    })
}

// Bundled like the command, so that its memory is measured, not that of packages it only uses in part.
await build({
  entryPoints: {
    ...Object.fromEntries(parts.map((part) => [part, sourceOf(part)])),
    "engine-worker": "src/engines/local/engine-worker.ts",
    "sherpa-host": "src/engines/neural/sherpa-host.ts",
    "section-worker": "src/pipeline/mix/section-worker.ts",
    "clip-worker": "src/pipeline/clips/clip-worker.ts",
    "mp3-worker": "src/ffmpeg/decode/mp3-worker.ts"
  },
  outdir,
  ...nodeModules,
  // It reads its own package.json.
  external: [...nodeModules.external, "playwright-core"],
  plugins: name === "kernels" ? [plainKernels] : []
})
process.exit(
  spawnSync(process.execPath, [join(outdir, `${name}.mjs`), ...rest], { stdio: "inherit" }).status ?? 1
)
