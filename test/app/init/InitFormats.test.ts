/** `init` finds subtitles in every format, and leaves out files that only have the ending of one. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
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

test("plan hears speech in a film whose sound is said to be music and effects", async () => {
  const cwd = emptyFolder()
  for (const name of ["last-ferry.mp4", "last-ferry.en.srt"])
    copyFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), join(cwd, name))
  for (const [sound, isWarned] of [
    ["music-and-effects", true],
    ["voice-over", false]
  ] as const) {
    await runHere(["init", "--yes", "--force", "--sound", sound], { cwd })
    const { stderr } = await runHere(["plan", "dubwright.yaml"], { cwd })
    expect(/speech was found in the film's own sound, .* 1 dB .*; name music/u.test(stderr)).toBe(isWarned)
  }
})
