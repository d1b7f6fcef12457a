/** `verify --profile` on generated files. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder } from "./process.ts"
import { bundled } from "../ffmpeg/binaries.ts"

const make = (...args: ReadonlyArray<string>) => {
  const made = spawnSync(bundled.path, ["-v", "error", "-y", ...args], { encoding: "utf8" })
  expect(made.stderr).toBe("")
}

/** A tone in two channels: its level in dBFS is its loudness. */
const toneAt = (level: string, rate = 48_000) => [
  ...["-f", "lavfi", "-i", `aevalsrc='pow(10,(${level})/20)*sin(2*PI*997*t)':s=${rate}:d=10`],
  ...["-af", "pan=stereo|c0=c0|c1=c0"]
]

const spread = { p50: 0, p95: 0, max: 0 }

/** A report with one line, from 0.5 to 3.5 seconds. */
const report = {
  job: "a",
  input: "a.srt",
  duration: 10,
  cues: [
    {
      index: 1,
      start: 0.5,
      end: 3.5,
      text: "One.",
      status: "spoken",
      placed: { start: 0.5, end: 3.5, speed: 1 },
      flags: []
    }
  ],
  metrics: {
    ...{ cues: 1, spoken: 1, skipped: 0, failed: 0, coverage: 1, onsetShift: spread },
    ...{ tailLateness: spread, speed: spread, speedOver13: 0, speedStep: spread, isochrony: 1 },
    ...{ overruns: 0, overlaps: 0, cutWords: 0 },
    loudness: { integrated: -20, truePeak: -3, clipSpread: 0 }
  }
}

test("judges files rule by rule, with the dialogue of a job's report", async () => {
  const cwd = emptyFolder()
  for (const folder of ["job", "alone"]) {
    mkdirSync(join(cwd, folder))
    // The line has -27 LUFS, the rest is louder.
    make(
      ...toneAt("if(lt(t,4),-27,-15)"),
      ...["-c:a", "pcm_s24le", "-write_bext", "1", "-metadata", "time_reference=172800000"],
      join(cwd, folder, "film.wav")
    )
  }
  writeFileSync(join(cwd, "job/report.json"), JSON.stringify(report))
  const job = await runHere(["verify", "--profile", "netflix-nearfield", "job/film.wav"], { cwd })
  expect([job.code, job.stderr]).toEqual([0, ""])
  expect(job.stdout).toContain("job/film.wav: meets netflix-nearfield\n")
  expect(job.stdout).toMatch(/^dialogue loudness +-27 LUFS ± 2 LU +-27\.0 LUFS +pass$/mu)
  expect(job.stdout).toMatch(/^start +01:00:00\.000 +info$/mu)

  const alone = await runHere(["verify", "--profile", "prime", "alone/film.wav"], { cwd })
  expect([alone.code, alone.stderr]).toEqual([
    3,
    "dubwright: does not meet prime: alone/film.wav (programme loudness)\n"
  ])
  expect(alone.stdout).toContain("measured over the whole file")
})

test("compares a job's file with its film, or with the longer one if the picture is held", async () => {
  const cwd = emptyFolder()
  mkdirSync(join(cwd, "job"))
  make(...toneAt("-20"), "-c:a", "pcm_s24le", join(cwd, "job/film.wav"))
  for (const seconds of [8, 9, 10])
    make(
      ...["-f", "lavfi", "-i", `testsrc=size=160x90:rate=25:duration=${seconds}`],
      join(cwd, `${seconds}.mp4`)
    )
  const picture = { added: 2, stretches: [{ cue: 1, from: 0.5, to: 0.5, added: 2 }] }
  writeFileSync(join(cwd, "job/report.json"), JSON.stringify({ ...report, picture }))
  const lengthBy = async (film: string) => {
    const { stdout } = await runHere(
      ["verify", "--profile", "netflix-premix", "--film", film, "job/film.wav"],
      {
        cwd
      }
    )
    return stdout.match(/^length .*? ± 10 ms +(.*?) +(?:pass|fail)$/mu)?.[1]
  }
  expect(await lengthBy("8.mp4")).toBe("as the picture")
  expect(await lengthBy("10.mp4")).toBe("as the picture")
  expect(await lengthBy("9.mp4")).toBe("1000 ms longer")
})

test("fails each rule that is not met, and goes on after a file that cannot be read", async () => {
  const cwd = emptyFolder()
  const picture = ["-f", "lavfi", "-i", "testsrc=size=160x90:rate=25:duration=12"]
  make(...picture, ...toneAt("-0.5", 44_100), "-ac", "1", join(cwd, "film.mp4"))
  writeFileSync(join(cwd, "notes.txt"), "no sound")
  const told = await runHere(
    ["verify", "--json", "--profile", "prime", "notes.txt", "film.mp4", "none.wav"],
    {
      cwd
    }
  )
  expect(told.code).toBe(3)
  const { files } = JSON.parse(told.stdout)
  expect(files[0].error).toMatch(/notes\.txt: expected a video or audio file, found/u)
  expect(files[2].error).toMatch(/none\.wav: expected a video or audio file, found no readable file/u)
  expect(files[1].verdict).toBe("fail")
  expect(
    Object.fromEntries(
      files[1].rules.map((rule: { rule: string; verdict: string }) => [rule.rule, rule.verdict])
    )
  ).toEqual({
    "programme loudness": "fail",
    "loudness range": "info",
    "true peak": "fail",
    "sample rate": "fail",
    "bit depth": "fail",
    channels: "fail",
    length: "pass"
  })
  const broadcast = await runHere(["verify", "--profile", "ebu-r128", "film.mp4"], { cwd })
  expect(broadcast.stdout).toMatch(/^length +the picture's ± 50 ms +\d+ ms shorter +fail$/mu)
})

test("suggests the profile with the most similar name", async () => {
  const told = await runHere(["verify", "--profile", "ebu-128", "film.wav"])
  expect(told.code).toBe(2)
  expect(told.stderr).toMatch(
    /^dubwright: --profile: expected one of .*found "ebu-128"; did you mean ebu-r128\?\n$/u
  )
})
