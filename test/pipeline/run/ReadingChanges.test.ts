/** Lines that an update of dubwright reads differently are reported with their price; other lines are not. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeUtterance, UtteranceUse } from "../../../src/domain/speech/Utterance.ts"
import { runPlan } from "../../../src/pipeline/Dub.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { type BatchPlan, type JobPlan, planBatch } from "../../../src/pipeline/plan/BatchPlan.ts"
import { Progress, type ProgressEvent } from "../../../src/pipeline/Progress.ts"
import { rereadIn, rereadNotices } from "../../../src/pipeline/run/ReadingChanges.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { standIn, stored } from "../StandIn.ts"

const cues = (...words: ReadonlyArray<string>): string =>
  words.map((said, i) => `${i + 1}\n00:00:0${i * 3},500 --> 00:00:0${i * 3 + 2},500\n${said}\n`).join("\n")

/** The plan of a version that reads the first cue differently. */
const readOtherwise = (plan: BatchPlan, words: string): BatchPlan => {
  const job = (planned: JobPlan): JobPlan => ({
    ...planned,
    uses: planned.uses.map((use) =>
      use.lines[0].cue === 1
        ? UtteranceUse.make({
            ...use,
            utterance: makeUtterance(use.utterance.casting, "text", words, [words])
          })
        : use
    )
  })
  const [first, ...others] = plan.jobs
  const jobs = [job(first), ...others.map(job)] as const
  return { ...plan, jobs, utterances: jobs.flatMap(({ uses }) => uses.map(({ utterance }) => utterance)) }
}

it.scopedLive("reports lines that an update reads differently, with their price, in plan and run", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = (name: string) => join(folder, name)
    const manifest = (voice: string) =>
      JSON.stringify({
        service: { baseUrl: "http://127.0.0.1:9" },
        defaults: { provider: "provider_fast", voice, outputs: ["srt"] },
        jobs: [{ id: "film", input: "film.srt" }]
      })
    writeFileSync(file("batch.json"), manifest("v1"))
    writeFileSync(file("film.srt"), cues("The ferry has left.", "Nobody has seen it."))
    const planned = Effect.flatMap(loadBatch([file("batch.json")], {}), planBatch)
    const told = (plan: BatchPlan) => Effect.map(rereadIn(plan), (found) => rereadNotices(found, () => 2))
    const words = "The ferry left."
    const summary =
      "job film: 1 line is read differently by this version, although film.srt and its settings are unchanged: "
    const line = 'film.srt:2: cue 1 reads "The ferry left.", before "The ferry has left."'

    yield* Effect.gen(function* () {
      const plan = yield* planned
      expect(yield* told(plan), "never run").toEqual([])
      expect(yield* told(readOtherwise(plan, words)), "never run, read differently").toEqual([])
      yield* runPlan(plan, standIn(0))
      expect(yield* told(plan), "unchanged").toEqual([])
      expect(yield* told(readOtherwise(plan, words))).toEqual([
        { summary: `${summary}30 credits to speak it again`, lines: [line] }
      ])

      writeFileSync(file("batch.json"), manifest("v2"))
      expect(yield* told(readOtherwise(yield* planned, words)), "another voice").toEqual([])
      writeFileSync(file("batch.json"), manifest("v1"))
      writeFileSync(file("film.srt"), cues("The ferry has left.", "Nobody saw it."))
      expect(yield* told(readOtherwise(yield* planned, words)), "another file").toEqual([])
      writeFileSync(file("film.srt"), cues("The ferry has left.", "Nobody has seen it."))

      const warnings: Array<string> = []
      const emit = (event: ProgressEvent) =>
        Effect.sync(() => {
          if (event._tag === "Warning") warnings.push(event.message)
        })
      const other = readOtherwise(yield* planned, words)
      yield* runPlan(other, standIn(0)).pipe(Effect.provideService(Progress, { emit }))
      expect(warnings.slice(0, 2)).toEqual([expect.stringContaining(summary), line])
      expect(yield* told(other), "already spoken").toEqual([])
      expect(yield* told(plan), "read as before, with its clips still stored").toEqual([])
    }).pipe(Effect.provide([stored(file(".dubwright")), bundledFfmpeg]))
  })
)
