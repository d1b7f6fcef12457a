/** `init` finds subtitles in every format, and leaves out files that only have the ending of one. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHere } from "../cli/inProcess.ts"
import { emptyFolder } from "../process.ts"

test("init proposes TTML, SCC and MicroDVD, but no 3D model", async () => {
  const cwd = emptyFolder()
  const files = {
    "one.en.ttml":
      '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="3s">Hello there.</p></div></body></tt>',
    "two.sub": "{25}{75}Good evening.\n{100}{150}Good night.\n",
    "cube.stl": "solid cube\nfacet normal 0 0 1\nendfacet\nendsolid cube\n"
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const { code, stdout } = await runHere(["init", "--yes", "."], { cwd })
  expect([code, stdout]).toEqual([0, `${join(cwd, "dubwright.yaml")}\n`])
  const manifest = readFileSync(join(cwd, "dubwright.yaml"), "utf8")
  expect([...manifest.matchAll(/^ {4}input: (.*)$/gmu)].map(([, input]) => input)).toEqual([
    "one.en.ttml",
    "two.sub"
  ])
  const plan = await runHere(["plan", "--embedded", "dubwright.yaml", "--json"], { cwd })
  expect(JSON.parse(plan.stdout).total).toMatchObject({ cues: 3 })
})
