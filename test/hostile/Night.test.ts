/** A night of jobs with retakes, killed: each job that was complete is delivered, and nothing is paid for twice. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startedBy } from "./Command.ts"
import { serving, temporaryFolder } from "./Batch.ts"
import { calm, HostileService } from "./HostileService.ts"

const jobs = Array.from({ length: 20 }, (_, at) => `ep${String(at + 1).padStart(2, "0")}`)

it.scopedLive(
  "has delivered twelve of twenty jobs when it is killed after the twelfth is complete",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      // The last eight jobs are never complete.
      const endless = /part ep(?:1[3-9]|20)/u
      const service = yield* serving(new HostileService({ ...calm, endless }))
      for (const id of jobs)
        writeFileSync(
          join(folder, `${id}.srt`),
          `1\n00:00:01,000 --> 00:00:03,000\nThis line of part ${id} is far too long for its cue, as it has been in every season so far.\n`
        )
      const manifest = join(folder, "night.json")
      const speed = { min: 0.5, max: 2 }
      writeFileSync(
        manifest,
        JSON.stringify({
          service: { baseUrl: service.baseUrl },
          providers: { provider_fast: { concurrency: 20, controls: { speed } } },
          defaults: { provider: "provider_fast", voice: "v1", outputs: ["srt"], fit: { retake: true } },
          jobs: jobs.map((id) => ({ input: `${id}.srt` }))
        })
      )
      const delivered = () => jobs.filter((id) => existsSync(join(folder, "out", id, `${id}.srt`)))
      const { child, ended } = startedBy(service.character.key, ["run", manifest, "--quiet"])
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      yield* Effect.promise(() => expect.poll(() => delivered().length).toBeGreaterThanOrEqual(12))
      child.kill("SIGKILL")
      expect((yield* Effect.promise(() => ended)).how).toBe("SIGKILL")
      expect(delivered()).toEqual(jobs.slice(0, 12))
      const own = service.charged.filter(({ text }) => !endless.test(text))
      expect(own, "each line is spoken twice").toHaveLength(24)
    }),
  120_000
)
