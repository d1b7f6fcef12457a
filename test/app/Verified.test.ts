/** `verify` on a delivered file whose audio was lost during encoding. */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder } from "./process.ts"
import { bundled } from "../ffmpeg/binaries.ts"

const { path: ffmpeg } = bundled

/** An ffmpeg wrapper that writes silent M4A files. */
const deaf = `#!/usr/bin/env node
const { spawnSync } = require("node:child_process")
const args = process.argv.slice(2)
if (args.includes("aac")) args.splice(args.length - 1, 0, "-af", "volume=0")
process.exitCode = spawnSync(${JSON.stringify(ffmpeg)}, args, { stdio: "inherit" }).status
`

test("fails the job in the run and in verify, and the next run delivers it again", async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "a.srt"), "1\n00:00:01,000 --> 00:00:03,000\nOne two three.\n")
  writeFileSync(
    join(cwd, "batch.yaml"),
    "service: embedded\njobs:\n  - { id: a, input: a.srt, provider: provider_opensource, voice: os-slt, outputs: [m4a], verify: true }\n" +
      // The job has no audio output.
      "  - { id: b, input: a.srt, provider: provider_opensource, voice: os-slt, outputs: [srt], verify: true }\n"
  )
  const program = join(cwd, "deaf.cjs")
  writeFileSync(program, deaf)
  chmodSync(program, 0o755)
  expect(spawnSync(program, ["-version"]).status).toBe(0)

  const first = await runHere(["run", "batch.yaml"], { cwd, env: { DUBWRIGHT_FFMPEG: program } })
  expect(first.code, first.stderr).toBe(3)
  expect(first.stdout).toContain("a: verify: cue 1 not heard where the report puts it")
  expect(first.stderr).toContain("1 of 2 jobs not delivered: a")

  const silent = await runHere(["verify", "batch.yaml", "--only", "b"], { cwd })
  expect([silent.code, silent.stdout]).toEqual([0, "Nothing to verify: no job has an audio output.\n"])
  const heard = await runHere(["verify", "batch.yaml"], { cwd })
  expect([heard.code, heard.stderr]).toEqual([
    3,
    expect.stringMatching(/audio does not match the report: a$/mu)
  ])
  expect(heard.stdout).toMatch(/1 +missing +1\.000/u)

  const again = await runHere(["run", "batch.yaml"], { cwd })
  expect(again.code, again.stderr).toBe(0)
  expect(again.stdout).toContain("Nothing was sent")
  expect(existsSync(join(cwd, "out/a/a.m4a"))).toBe(true)
  expect((await runHere(["verify", "batch.yaml"], { cwd })).code).toBe(0)

  // Under continuous sound no onset can be detected, so none is reported.
  const noise = "anoisesrc=amplitude=0.3:duration=3"
  spawnSync(ffmpeg, ["-y", "-f", "lavfi", "-i", noise, join(cwd, "out/a/a.m4a")])
  const unsure = await runHere(["verify", "batch.yaml"], { cwd })
  expect(unsure.stdout).toMatch(/^a +1 of 1 +0 +0 +unknown +-?\d+ ms$/mu)
})
