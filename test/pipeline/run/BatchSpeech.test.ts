/** The settings of the speak stage come from the manifest. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { planBatch } from "../../../src/pipeline/plan/BatchPlan.ts"
import { speakSettings } from "../../../src/pipeline/run/BatchSpeech.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { stored } from "../StandIn.ts"

it.scopedLive("knows the language of each utterance whose job names one, or whose file name does", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const manifest = join(folder, "batch.json")
    const jobs = [
      { id: "a", input: "a.srt", language: "be" },
      { id: "b", input: "b.fa.srt" },
      { id: "c", input: "c.srt" }
    ]
    for (const { id, input } of jobs)
      writeFileSync(join(folder, input), `1\n00:00:01,000 --> 00:00:02,000\nLine ${id}.\n`)
    writeFileSync(
      manifest,
      JSON.stringify({
        service: { baseUrl: "http://127.0.0.1:9" },
        defaults: { provider: "provider_fast", voice: "v1", outputs: ["srt"] },
        jobs
      })
    )
    yield* Effect.gen(function* () {
      const plan = yield* Effect.flatMap(loadBatch([manifest], {}), planBatch)
      const keys = plan.utterances.map(({ key }) => key)
      const { languageOf } = speakSettings(plan, keys, {
        maxCredits: undefined,
        deadline: undefined,
        spentBefore: 0
      })
      expect(keys.map(languageOf)).toEqual(["be", "fa", undefined])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)
