/** The package as npm publishes it: its files, fields and size, and that it runs where nothing else is installed. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import ts from "typescript"
import { expect, test } from "vitest"
import { bytesIn, emptyFolder, npm, pack, run } from "./packed.ts"

const minutes = 60_000
const packed = pack()
packed.catch(() => undefined)
const requireHere = createRequire(import.meta.url)
const { version, bin } = requireHere("../../package.json")

test(
  "npm packs the program, its library with types, and the manual, but no sources",
  { timeout: 8 * minutes },
  async () => {
    const { paths } = await packed
    expect(paths).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "dist/LICENSES.txt",
        "dist/clip-worker.mjs",
        "dist/dubwright.mjs",
        "dist/effect.mjs",
        "dist/engine-worker.mjs",
        "dist/index.mjs",
        "dist/manifest.schema.json",
        "dist/mp3-worker.mjs",
        "dist/section-worker.mjs",
        "dist/sherpa-host.mjs",
        "dist/types/effect.d.ts",
        "dist/types/index.d.ts",
        "docs/library.md",
        "package.json"
      ])
    )
    expect(new Set(paths.map((path) => path.replace(/\/.*/u, "")))).toEqual(
      new Set(["LICENSE", "README.md", "dist", "docs", "package.json"])
    )
    expect(paths.filter((path) => /\.map$|conformance|\.stamp$/u.test(path))).toEqual([])
  }
)

test("publint and attw find nothing wrong", { timeout: 8 * minutes }, async () => {
  const data = new Uint8Array(readFileSync((await packed).tarball))
  const { messages } = await publint({ pack: { tarball: data.buffer }, strict: true })
  expect(messages).toEqual([])
  const result = await checkPackage(createPackageFromTarballData(data))
  if (result.types === false) throw new Error("the package has no types")
  // The package holds ES modules only. Node 20.19 loads them with require, too.
  const wrong = result.problems.filter(
    (one) => !("resolutionKind" in one && ["node10", "node16-cjs"].includes(one.resolutionKind))
  )
  expect(wrong).toEqual([])
})

const program = `
import { dub, engineOf, InputRejected, manifestSchema, plan, serve, SpeechFailed, type ManifestInput } from "dubwright"

const manifest: ManifestInput = { jobs: [{ input: "a.srt", outputs: ["wav"] }] }
const name: string = engineOf({
  name: "own",
  voices: [{ id: "a" }],
  speak: ({ text }) => {
    if (text === "") throw new SpeechFailed({ engine: "own", reason: "too-long", detail: text })
    return { samples: new Int16Array(1), rate: 8000 }
  }
}).name
try {
  const { jobs, credits } = await dub({ manifest, onProgress: (event) => event._tag === "Delivered" && event.job.length })
  const spent: number | undefined = credits.spent
  const { close } = await serve({ data: jobs[0]?.files[0] ?? manifestSchema.$id })
  await close()
  const { report } = await plan({ files: "a.srt" })
  const price: number | undefined = report.total.credits
} catch (error) {
  if (error instanceof InputRejected) error.faults.map(({ file, line, message }) => [file, line, message])
  // @ts-expect-error: no such key
  await dub({ manifest, ouput: "out" })
}
`

/**
 * Compiles a program where only the package is installed, without Effect; returns TypeScript's errors in it and in the
 * package's types.
 */
const faultsIn = (file: string): ReadonlyArray<string> => {
  writeFileSync(file, program)
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    typeRoots: [resolve("node_modules/@types")],
    types: ["node"]
  }
  const compiled = ts.createProgram([file], options)
  return compiled
    .getSourceFiles()
    .filter(({ fileName }) => /\/program\.mts$|\/dubwright\/dist\//u.test(fileName))
    .flatMap((source) => ts.getPreEmitDiagnostics(compiled, source))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))
}

const film = "1\n00:00:01,000 --> 00:00:03,000\nThe lights of the harbour are on.\n"

test(
  "a global installation into an empty prefix dubs a subtitle",
  { timeout: 8 * minutes },
  async ({ skip }) => {
    const { tarball } = await packed
    const prefix = emptyFolder()
    const installed = await npm(["install", "--global", "--prefix", prefix, tarball], prefix)
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/u.test(installed.stderr))
      skip("npm's registry does not respond")
    expect(installed).toMatchObject({ code: 0, stderr: "" })

    const windows = process.platform === "win32"
    const home = join(prefix, windows ? "node_modules/dubwright" : "lib/node_modules/dubwright")
    const modules = join(home, "node_modules")
    const listed = await npm(["ls", "--all", "--parseable", "--omit=dev"], home)
    expect(listed.stdout.trim().split("\n").length).toBeLessThanOrEqual(60)
    const ffmpegs = bytesIn(join(modules, "@ffmpeg-binary")) + bytesIn(join(modules, "@ffmpeg-installer"))
    expect(ffmpegs).toBeGreaterThan(0)
    expect(bytesIn(home) - ffmpegs).toBeLessThan(150e6)

    // PATH has only Node, so ffmpeg comes from the package.
    const cwd = emptyFolder()
    const env = { PATH: emptyFolder(), HOME: cwd }
    writeFileSync(join(cwd, "film.srt"), film)
    const dub = () =>
      run(process.execPath, [join(home, bin.dubwright), "run", "film.srt", "--embedded"], { cwd, env })
    if (Number(process.versions["napi"]) < 10) {
      const { code, stderr } = await dub()
      expect([code, stderr]).toEqual([2, expect.stringContaining("better-sqlite3 has no binary")])
      const binary = "build/Release/better_sqlite3.node"
      const target = join(modules, "better-sqlite3", binary)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(dirname(requireHere.resolve("better-sqlite3/package.json")), binary), target)
    }
    const { code, stdout, stderr } = await dub()
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
    const { metrics } = JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
    expect(metrics).toMatchObject({ cues: 1, spoken: 1, coverage: 1 })

    expect(faultsIn(join(dirname(dirname(home)), "program.mts"))).toEqual([])

    // The library needs none of Effect's packages, which only dubwright/effect shares with its user.
    const importing = `import(${JSON.stringify(pathToFileURL(join(home, "dist/index.mjs")))}).then(({ dub }) => console.log(typeof dub))`
    expect(await run(process.execPath, ["-e", importing], { cwd, env })).toMatchObject({
      stdout: "function\n"
    })
  }
)

test(
  "npx runs the package without installing it, also without optional packages",
  { timeout: 8 * minutes },
  async ({ skip }) => {
    const { tarball } = await packed
    const words = ["exec", "--yes", "--omit=optional", `--package=${tarball}`, "--", "dubwright", "--version"]
    const ended = await npm(words, emptyFolder())
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/u.test(ended.stderr))
      skip("npm's registry does not respond")
    expect(ended).toMatchObject({ code: 0, stdout: `${version}\n` })
  }
)
