/** A rendering thread that dies fails the requests to it, also those after its death. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { openSectionWorker } from "../../../src/pipeline/mix/ProgrammeRenderer.ts"

it.live.each([
  ["an error", 'throw new Error("gone")', "gone"],
  ["an exit", "process.exit(3)", "ended with code 3"]
] as const)("every request fails once the thread has ended with %s", ([, code, words]) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "dubwright-thread-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const program = join(folder, "worker.mjs")
    writeFileSync(program, code)
    const mastering = { rate: SampleRate.make(24_000), channels: 1, stems: 0, gain: 1, ceiling: 1 } as const
    const render = yield* openSectionWorker(program, { mastering, orders: [], clips: folder })
    for (let request = 0; request < 2; request++) {
      const cause = yield* Effect.flip(
        Effect.sandbox(render({ begin: 0, from: 0, to: 1, end: 1 }, [], () => {}))
      )
      expect(Cause.pretty(cause)).toContain(words)
    }
  }).pipe(Effect.scoped)
)
