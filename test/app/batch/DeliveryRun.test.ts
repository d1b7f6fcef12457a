/** Jobs with a delivery profile: files that `verify --profile` accepts, and jobs that fail. */
import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHere } from "../cli/inProcess.ts"
import { emptyFolder } from "../process.ts"
import { bundled } from "../../ffmpeg/binaries.ts"

const house = `loudness: { target: -24, tolerance: 0.5, over: programme }
truePeak: -8
depth: 24
channels: [2]
start: "01:00:00"
name: "[a-z]+_v\\\\d\\\\.wav"
length: 0.01
`

test("makes what the profile requires, and fails a job whose files do not meet it", async () => {
  const cwd = emptyFolder()
  const picture = "testsrc=size=160x90:rate=24000/1001:duration=6.5"
  const film = ["-v", "error", "-f", "lavfi", "-i", picture, "-c:v", "mpeg4", join(cwd, "film.mp4")]
  expect(spawnSync(bundled.path, film, { encoding: "utf8" }).stderr).toBe("")
  const cues =
    "1\n00:00:00,500 --> 00:00:02,500\nOne two three.\n\n2\n00:00:04,000 --> 00:00:06,000\nFour five.\n"
  writeFileSync(join(cwd, "a.srt"), cues)
  writeFileSync(join(cwd, "house.yaml"), house)
  writeFileSync(join(cwd, "strict.yaml"), "silence: 0.5\n")
  const own = "input: a.srt, provider: provider_opensource, voice: os-slt, outputs: [wav]"
  writeFileSync(
    join(cwd, "m.yaml"),
    `service: embedded\njobs:\n` +
      `  - { id: pre, video: film.mp4, sync: "off", delivery: netflix-premix, ${own} }\n` +
      `  - { id: scene_v1, video: film.mp4, sync: "off", delivery: house.yaml, ${own} }\n` +
      `  - { id: strict, delivery: strict.yaml, ${own} }\n`
  )

  const made = await runHere(["run", "m.yaml"], { cwd })
  expect(made.code, made.stderr).toBe(3)
  expect(made.stdout).toMatch(
    /^strict: delivery: strict\.wav does not meet strict\.yaml: silence \d\.\d s \(at most 0\.5 s\)$/mu
  )
  expect(existsSync(join(cwd, "out/strict/strict.wav"))).toBe(true)

  const film24 = ["--film", "film.mp4", "--json"]
  const premix = await runHere(["verify", "--profile", "netflix-premix", ...film24, "out/pre/pre.wav"], {
    cwd
  })
  expect([premix.code, premix.stderr]).toEqual([0, ""])
  expect(JSON.parse(premix.stdout).files[0].rules).toEqual(
    expect.arrayContaining([
      { rule: "dialogue loudness", found: "-27.0 LUFS", verdict: "info" },
      { rule: "bit depth", required: "24 bit", found: "24 bit", verdict: "pass" },
      { rule: "channels", required: "mono", found: "mono", verdict: "pass" },
      { rule: "length", required: "the picture's ± 10 ms", found: "as the picture", verdict: "pass" }
    ])
  )
  const scene = await runHere(["verify", "--profile", "house.yaml", ...film24, "out/scene_v1/scene_v1.wav"], {
    cwd
  })
  expect([scene.code, scene.stderr]).toEqual([0, ""])
  expect(JSON.parse(scene.stdout).files[0].rules).toContainEqual({
    rule: "start",
    required: "01:00:00",
    found: "01:00:03.600, counted at 23.976 or 29.97 frames per second",
    verdict: "pass"
  })
})
