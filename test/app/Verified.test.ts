/** A run that listens to what it delivered, where the sound got lost on its way into the file. */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { emptyFolder, run } from "./process.ts"
import { bundled } from "../ffmpeg/binaries.ts"

const { path: ffmpeg } = bundled

/** Does what ffmpeg does, but every FLAC that it writes is silent. */
const deaf = `#!/usr/bin/env node
const { spawnSync } = require("node:child_process")
const args = process.argv.slice(2)
if (args.includes("flac")) args.splice(args.length - 1, 0, "-af", "volume=0")
process.exitCode = spawnSync(${JSON.stringify(ffmpeg)}, args, { stdio: "inherit" }).status
`

test("fails by name, in the run and afterwards, and is made again by the next run", async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "a.srt"), "1\n00:00:01,000 --> 00:00:03,000\nOne two three.\n")
  writeFileSync(
    join(cwd, "batch.yaml"),
    "service: embedded\njobs:\n  - { id: a, input: a.srt, provider: provider_opensource, voice: os-slt, outputs: [flac], verify: true }\n" +
      // Nothing of it can be listened to.
      "  - { id: b, input: a.srt, provider: provider_opensource, voice: os-slt, outputs: [srt], verify: true }\n"
  )
  const program = join(cwd, "deaf.cjs")
  writeFileSync(program, deaf)
  chmodSync(program, 0o755)
  expect(spawnSync(program, ["-version"]).status).toBe(0)

  const first = await run(["run", "batch.yaml"], { cwd, env: { DUBWRIGHT_FFMPEG: program } })
  expect(first.code, first.stderr).toBe(3)
  expect(first.stdout).toContain("a: verify: cue 1 not heard where the report puts it")
  expect(first.stderr).toContain("1 of 2 jobs not delivered: a")

  const silent = await run(["verify", "batch.yaml", "--only", "b"], { cwd })
  expect([silent.code, silent.stdout]).toEqual([
    0,
    "Nothing to verify: no job makes something to listen to.\n"
  ])
  const heard = await run(["verify", "batch.yaml"], { cwd })
  expect([heard.code, heard.stderr]).toEqual([3, expect.stringMatching(/not as reported: a$/mu)])
  expect(heard.stdout).toMatch(/1 +missing +1\.000/u)

  const again = await run(["run", "batch.yaml"], { cwd })
  expect(again.code, again.stderr).toBe(0)
  expect(again.stdout).toContain("Nothing was sent")
  expect(existsSync(join(cwd, "out/a/a.flac"))).toBe(true)
  expect((await run(["verify", "batch.yaml"], { cwd })).code).toBe(0)

  // Over a sound that goes on below all of it, nobody can tell when speech begins: nor does it claim to.
  const noise = "anoisesrc=amplitude=0.3:duration=3"
  spawnSync(ffmpeg, ["-y", "-f", "lavfi", "-i", noise, join(cwd, "out/a/a.flac")])
  const unsure = await run(["verify", "batch.yaml"], { cwd })
  expect(unsure.stdout).toMatch(/^a +1 of 1 +0 +0 +unknown +-?\d+ ms$/mu)
})
