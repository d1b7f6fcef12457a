import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder } from "./process.ts"

const cue = (index: number, start: string, text: string) =>
  `${index}\n${start} --> 00:00:0${index * 3},500\n${text}\n\n`
const srt =
  cue(1, "00:00:01,000", "Good morning.") +
  cue(2, "00:00:xx,000", "Nobody hears this.") +
  cue(3, "00:00:07,000", "Good night.")
const error =
  'a.srt:6: "00:00:xx,000 --> 00:00:06,500 Nobody hears this.": expected a time line such as 00:01:02,500 --> 00:01:04,000'

test("an unreadable line fails its job like a line that cannot be spoken", async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "a.srt"), srt)
  writeFileSync(
    join(cwd, "batch.yaml"),
    [
      "service: embedded",
      "defaults: { provider: provider_opensource, voice: os-slt, language: en }",
      "jobs:",
      "  - { id: strict, input: a.srt }",
      "  - { id: lenient, input: a.srt, onFailure: silence }",
      ""
    ].join("\n")
  )

  const plan = await runHere(["plan", "batch.yaml", "--json", "--html", "plan.html", "--fail-on", "lost"], {
    cwd
  })
  expect(plan.code, plan.stderr).toBe(3)
  const { jobs, total } = JSON.parse(plan.stdout)
  expect(jobs[0]).toMatchObject({ cues: 3, lines: 2, lostLines: 1, lost: [{ cue: 2, line: 6, error }] })
  expect(total).toMatchObject({ cues: 6, lostLines: 2 })
  expect(plan.stderr.split("\n").slice(0, 2)).toEqual([
    "note: job strict: 1 line cannot be read and will not be spoken (a.srt:6); the job fails unless you correct it or set onFailure: silence",
    "note: job lenient: 1 line cannot be read and will not be spoken (a.srt:6); onFailure: silence delivers the job without it"
  ])
  expect(readFileSync(join(cwd, "plan.html"), "utf8")).toContain(
    "2 lines cannot be read and will not be spoken"
  )
  const ran = await runHere(["run", "batch.yaml", "--json"], { cwd })
  expect(ran.code, ran.stderr).toBe(3)
  expect(JSON.parse(ran.stdout).jobs).toEqual([
    { id: "strict", status: "failed", error: `cue 2 could not be spoken: ${error}` },
    { id: "lenient", status: "delivered" }
  ])
  const report = (job: string) => JSON.parse(readFileSync(join(cwd, "out", job, "report.json"), "utf8"))
  for (const [job, flags] of [
    ["strict", []],
    ["lenient", ["silent"]]
  ] as const) {
    const { cues, metrics } = report(job)
    expect(cues[1]).toEqual({
      index: 2,
      start: 3.5,
      end: 3.5,
      text: "Nobody hears this.",
      status: "failed",
      error,
      flags
    })
    expect(metrics).toMatchObject({ cues: 3, spoken: 2, skipped: 0, failed: 1, coverage: 0.6667 })
    const page = readFileSync(join(cwd, "out", job, "report.html"), "utf8")
    expect(page).toContain("1 line not spoken")
  }
  expect(readFileSync(join(cwd, "out/index.html"), "utf8")).toContain("1 failed")

  writeFileSync(join(cwd, "a.srt"), srt.replace("xx", "04"))
  const mended = await runHere(["run", "batch.yaml", "--json"], { cwd })
  expect([mended.code, JSON.parse(mended.stdout).tasks]).toMatchObject([0, { created: 1, reused: 2 }])
  expect(report("lenient").metrics).toMatchObject({ cues: 3, spoken: 3, failed: 0, coverage: 1 })
})
