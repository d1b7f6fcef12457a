/** Type-checks every example of docs/library.md against the sources, and runs it on the built package. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import ts from "typescript"
import { afterAll, expect, test } from "vitest"

const examples = [...readFileSync("docs/library.md", "utf8").matchAll(/^## (.+)$|^```ts\n([^]*?)^```$/gmu)]
  .reduce<ReadonlyArray<{ readonly title: string; readonly code: string }>>(
    (found, [, heading, code]) =>
      heading !== undefined
        ? [...found, { title: heading, code: "" }]
        : found.map((one, at) => (at === found.length - 1 ? { ...one, code: code ?? "" } : one)),
    []
  )
  .filter(({ code }) => code !== "")

/** The output of each example. */
const printed: Readonly<Record<string, string>> = {
  "Dub a subtitle": "delivered harbour.en\ndone [",
  "Use a manifest": "54 credits\nharbour.en 0 to review, 0 failed\n54 spent\n",
  Errors: "manifest undefined jobs[0].input: missing.srt: no such file; check the path\n",
  "Choose the service": "done\n",
  "Run the service": "",
  "Replace the executor": "harbour.en delivered\n",
  "Effects and layers": "Planned\n"
}

/** A program's folder, with the package installed as a link. */
const root = mkdtempSync(join(tmpdir(), "dubwright-examples-"))
mkdirSync(join(root, "node_modules"))
symlinkSync(process.cwd(), join(root, "node_modules/dubwright"))
for (const name of ["effect", "@effect", "@types"])
  symlinkSync(resolve("node_modules", name), join(root, "node_modules", name))
afterAll(() => rmSync(root, { recursive: true, force: true }))

test.concurrent.each(examples)("$title: the example runs as written", async ({ title, code }) => {
  const cwd = mkdtempSync(join(root, "films-"))
  writeFileSync(
    join(cwd, "harbour.en.srt"),
    "1\n00:00:01,000 --> 00:00:04,000\nANNA: The harbour is quiet.\n"
  )
  writeFileSync(
    join(cwd, "example.mjs"),
    ts.transpile(code, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext })
  )
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["example.mjs"], { cwd })
  expect(stderr).toBe("")
  expect(stdout.startsWith(printed[title] ?? "no such example"), stdout).toBe(true)
})

test.concurrent("the examples pass the type checker", async () => {
  const files = examples.map(({ code }, at) => {
    const file = `example-${at}.ts`
    writeFileSync(join(root, file), code)
    return file
  })
  const compilerOptions = {
    target: "ES2022",
    lib: ["es2023"],
    module: "ESNext",
    moduleResolution: "bundler",
    moduleDetection: "force",
    paths: {
      dubwright: [resolve("src/index.ts")],
      "dubwright/effect": [resolve("src/effect.ts")]
    },
    typeRoots: [resolve("node_modules/@types")],
    types: ["node"],
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    skipLibCheck: true
  }
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  // In a process of its own, because it takes seconds without a pause.
  const checker = resolve("test/docs/check-types.mjs")
  const { stdout } = await promisify(execFile)(process.execPath, [checker, root])
  expect(stdout.trim()).toBe("")
})

test("the package exports its entries and its schema, and nothing else", async () => {
  const code = [
    'const { default: schema } = await import("dubwright/manifest.schema.json", { with: { type: "json" } })',
    'const main = await import("dubwright")',
    'const inner = await import("dubwright/dist/dubwright.mjs").catch(({ code }) => code)',
    "console.log(JSON.stringify(schema) === JSON.stringify(main.manifestSchema), inner)"
  ].join("\n")
  writeFileSync(join(root, "entries.mjs"), code)
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", "entries.mjs"], {
    cwd: root
  })
  expect(stdout).toBe("true ERR_PACKAGE_PATH_NOT_EXPORTED\n")
})
