import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

test("bundled packages come with their licences, in dist/ and in generated pages", () => {
  const all = readFileSync("dist/LICENSES.txt", "utf8")
  const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"))
  for (const name of ["effect", "p-queue", "yaml", "wavesurfer.js"])
    expect(all).toContain(`\n${name} ${{ ...dependencies, ...devDependencies }[name]}   `)
  const { job, review, batch } = JSON.parse(readFileSync("dist/pages.json", "utf8"))
  const clause = "Redistributions in binary form must reproduce the above copyright notice"
  expect([job, review, batch].map(({ script }) => script.includes(clause))).toEqual([true, true, false])
})
