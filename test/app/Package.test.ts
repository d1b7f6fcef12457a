/** The package as npm publishes it. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"

interface Packed {
  readonly files: ReadonlyArray<{ readonly path: string }>
}

test(
  "npm packs the program, its library with types, and the manual, but no sources",
  { timeout: 240_000 },
  async () => {
    const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], {
      maxBuffer: 1 << 26
    })
    const [packed]: [Packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n")))
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "dist/clip-worker.mjs",
        "dist/dubwright.mjs",
        "dist/effect.mjs",
        "dist/engine-worker.mjs",
        "dist/index.mjs",
        "dist/manifest.schema.json",
        "dist/mp3-worker.mjs",
        "dist/section-worker.mjs",
        "dist/types/effect.d.ts",
        "dist/types/index.d.ts",
        "docs/library.md",
        "package.json"
      ])
    )
    expect(new Set(paths.map((path) => path.replace(/\/.*/u, "")))).toEqual(
      new Set(["LICENSE", "README.md", "dist", "docs", "package.json"])
    )
  }
)
