/**
 * Simulated batches keep the promises of a run whatever its service, its disk and its clock do. A failure prints the
 * shortest schedule that still fails.
 *
 * `DUBWRIGHT_SEED=123 npx vitest run test/simulation` repeats one; `npm run simulate` runs a million.
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkSchedule, drawSchedule, shortest } from "./Schedules.ts"

const only = process.env["DUBWRIGHT_SEED"]
const seeds = only === undefined ? Array.from({ length: 500 }, (_, at) => at + 1) : [Number(only)]

it.effect(
  "500 simulated batches pay once, keep their budget, lose no line, and end",
  () =>
    Effect.gen(function* () {
      for (const seed of seeds) {
        const schedule = drawSchedule(seed)
        const broken = yield* checkSchedule(schedule)
        if (broken !== undefined)
          expect.fail(`${broken.words}\n${JSON.stringify(yield* shortest(schedule, broken.law), null, 2)}`)
      }
    }),
  { timeout: 600_000 }
)
