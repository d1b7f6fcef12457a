import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { NodeContext } from "@effect/platform-node"
import { writeFileSync } from "node:fs"
import { describe, expect } from "vitest"
import { summaryText } from "../../../src/app/terminal/RunSummary.ts"
import type { JobResult } from "../../../src/pipeline/report/JobResult.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { sampleMetrics, sampleRun } from "../../pages/sample.ts"

const look = { colour: false, columns: undefined }

/** The end of a run of jobs with so many files each, without its table; `looks` lines of the first are worth a look. */
const ended = (jobs: number, files: number, looks: number, all: boolean) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const names = Array.from({ length: jobs }, (_, at) => `ep0${at + 1}`)
    for (const name of names) writeFileSync(join(folder, `${name}.txt`), "Words.\n")
    const batch = yield* loadBatch([join(folder, "ep*.txt")], {})
    const results = batch.jobs.map((job, at): JobResult => ({
      job,
      metrics: sampleMetrics,
      last: undefined,
      looks: at === 0 ? looks : 0,
      status: "delivered",
      unchanged: false,
      files: Array.from({ length: files }, (_, file) => join("/films/out", job.id, `${file}.wav`))
    }))
    const result = { report: sampleRun, jobs: results, spent: 18_400.2 }
    const text = summaryText(result, "/films/out", "/films", all, look)
    return text.slice(text.indexOf("\n\n") + 2).split("\n")
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))

const grouped = (text: string) => text.replaceAll("\u202f", " ")

describe("the end of a run", () => {
  it.effect("names the page, the lines worth a look and the credits, and counts many files", () =>
    Effect.gen(function* () {
      const lines = yield* ended(6, 9, 12, false)
      expect(lines.map(grouped)).toEqual([
        "12 lines worth a look: open out/index.html",
        expect.stringMatching(/^18 401 credits spent, [\d ]+ left$/u),
        expect.stringContaining("created"),
        "54 files in out/ (--verbose lists them)"
      ])
    })
  )

  it.effect("names a single job's own page, and its files where they are few", () =>
    Effect.gen(function* () {
      const lines = yield* ended(1, 2, 0, false)
      expect([lines[0], ...lines.slice(-3)]).toEqual([
        "No line needs a look; report: out/ep01/report.html",
        "",
        "out/ep01/0.wav",
        "out/ep01/1.wav"
      ])
    })
  )

  it.effect("lists every file under --verbose, after everything else", () =>
    Effect.gen(function* () {
      const lines = yield* ended(6, 9, 0, true)
      expect(lines.slice(3)).toEqual(["", ...lines.filter((line) => line.startsWith("out/ep"))])
      expect(lines.filter((line) => line.startsWith("out/ep"))).toHaveLength(54)
    })
  )
})
