import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { NodeContext } from "@effect/platform-node"
import { writeFileSync } from "node:fs"
import stringWidth from "string-width"
import { describe, expect } from "vitest"
import { summaryText } from "../../../src/app/terminal/RunSummary.ts"
import type { RunReport } from "../../../src/domain/report/Report.ts"
import type { JobResult } from "../../../src/pipeline/report/JobResult.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { sampleMetrics, sampleRun } from "../../pages/sample.ts"

/** The summary, without its table, of jobs with this many files each; `looks` lines of the first need review. */
const ended = (jobs: number, files: number, looks: number, all: boolean) =>
  Effect.map(wholeSummary(jobs, files, looks, all), (text) =>
    text.slice(text.indexOf("\n\n") + 2).split("\n")
  )

const wholeSummary = (
  jobs: number,
  files: number,
  looks: number,
  all: boolean,
  run: RunReport = sampleRun,
  columns?: number
) =>
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
    const result = { report: run, jobs: results, spent: 18_400.2 }
    return summaryText(result, "/films/out", "/films", all, { colour: false, columns })
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))

const grouped = (text: string) => text.replaceAll("\u202f", " ")

describe("the run summary", () => {
  it.effect("shows the page, the lines to check and the credits, and counts many files", () =>
    Effect.gen(function* () {
      const lines = yield* ended(6, 9, 12, false)
      expect(lines.map(grouped)).toEqual([
        "12 lines to check; open out/index.html",
        expect.stringMatching(/^18 401 credits spent, [\d ]+ left$/u),
        expect.stringContaining("created"),
        "54 files in out/ (--verbose lists them)"
      ])
    })
  )

  it("shows what the batch has spent so far beside what this run has", () => {
    const text = (spent: number | undefined, credits: RunReport["credits"], failed = 0) =>
      summaryText(
        { report: { ...sampleRun, tasks: { ...sampleRun.tasks, failed }, credits }, jobs: [], spent },
        "/out",
        "/",
        false,
        {
          colour: false,
          columns: undefined
        }
      )
        .split("\n")
        .map(grouped)
        .filter((line) => line.includes("left") || line.includes("credits"))
    expect(text(120, { after: 700, batch: 3_382.4 })).toEqual([
      "120 credits spent in this run, 3 383 by this batch so far, 700 left"
    ])
    expect(text(120, { after: 700, batch: 120 })).toEqual(["120 credits spent, 700 left"])
    expect(text(120, { after: 700, batch: 125 }, 1)).toEqual(["120 credits spent, 700 left"])
    expect(text(undefined, {})).toEqual([])
  })

  it.effect("shows a single job's page, and lists its files if few", () =>
    Effect.gen(function* () {
      const lines = yield* ended(1, 2, 0, false)
      expect([lines[0], ...lines.slice(-3)]).toEqual([
        "No line to check; report: out/ep01/report.html",
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

  it.effect("fits a table of usual jobs into 80 columns, with headings of their own", () =>
    Effect.gen(function* () {
      const text = yield* wholeSummary(1, 2, 0, false, sampleRun, 80)
      expect(text.slice(0, text.indexOf("\n\n")).split("\n")).toEqual([
        "                            starts",
        "                             early    ends          runs  loudness",
        "job   status       spoken  or late    late  rushed  over    (LUFS)",
        "ep01  delivered  22 of 23   0.12 s  0.10 s       1     1     -16.0"
      ])
      const long = yield* wholeSummary(1, 2, 0, false, sampleRun, 60)
      expect(long.slice(0, long.indexOf("\n\n")).split("\n")).toEqual([
        "ep01: delivered",
        "  22 of 23 spoken, starts early or late 0.12 s",
        "  ends late 0.10 s, 1 rushed, 1 run over, -16.0 LUFS"
      ])
      for (const columns of [20, 40, 60, 80])
        for (const line of (yield* wholeSummary(1, 0, 0, false, sampleRun, columns))
          .split("\n\n")[0]
          ?.split("\n") ?? [])
          expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    })
  )

  it.effect("groups the digits of every count, and leaves out counts of 0", () =>
    Effect.gen(function* () {
      const tasks = { created: 1_410, adopted: 0, resumed: 0, reused: 0, retried: 0, failed: 0 }
      const text = grouped(yield* wholeSummary(1, 0, 0, false, { ...sampleRun, tasks }))
      expect(text).toContain("\n1 410 tasks created; 18 234 characters; 13 min 32 s")
      const other = grouped(yield* wholeSummary(1, 0, 0, false))
      expect(other).toContain("\n410 tasks created, 1 adopted, 37 clips reused, 4 retried, 1 failed; 18 234")
      const none = grouped(
        yield* wholeSummary(1, 0, 0, false, { ...sampleRun, tasks: { ...tasks, created: 0 } })
      )
      expect(none).toContain("\nNothing was sent: every clip was cached.")
    })
  )
})
