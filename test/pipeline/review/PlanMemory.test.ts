/** A review plans a job once per edit box, but never uses the plan of other files or changes. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { makePlanMemory } from "../../../src/pipeline/review/PlanMemory.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { stored } from "../StandIn.ts"

it.scopedLive("plans a job again once its file, its changes or the job are others", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    const jobs = ["one", "two"].map((id) => ({ id, input: "a.srt", provider: "provider_fast", voice: "v1" }))
    write("batch.json", JSON.stringify({ jobs }))
    const planJob = makePlanMemory()
    const said = Effect.fnUntraced(
      function* (at = 0) {
        const batch = yield* loadBatch([join(folder, "batch.json")], {})
        const plan = yield* planJob(batch, batch.jobs[at] ?? batch.jobs[0])
        return { plan, words: plan.lines.map((line) => line.said) }
      },
      Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg])
    )
    write("a.srt", "1\n00:00:01,000 --> 00:00:03,000\nAll is well.\n")
    const first = yield* said()
    expect(first.words).toEqual(["All is well."])
    expect((yield* said()).plan, "kept").toBe(first.plan)
    write("batch.json.overrides.yaml", 'jobs: { one: { "1": { say: All is better. } } }\n')
    expect((yield* said()).words).toEqual(["All is better."])
    expect((yield* said(1)).words, "another job").toEqual(["All is well."])
    write("a.srt", "1\n00:00:01,000 --> 00:00:03,000\nAll is over.\n")
    expect((yield* said(1)).words, "another text").toEqual(["All is over."])
  })
)
