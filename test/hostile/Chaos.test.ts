/**
 * The real command, repeatedly killed with SIGKILL: its result is bit-identical to an undisturbed run's, and nothing is
 * paid for twice. `DUBWRIGHT_CHAOS=300x50` means 300 utterances and 50 kills.
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serving, temporaryFolder } from "./Batch.ts"
import { chance } from "./Chance.ts"
import { resultIn, started, writeScene } from "./Command.ts"
import { calm, HostileService } from "./HostileService.ts"

const [utterances = 40, deaths = 5] = (process.env["DUBWRIGHT_CHAOS"] ?? "40x5").split("x").map(Number)

it.scopedLive(
  "a run killed at random moments ends as if it had never been killed",
  () =>
    Effect.gen(function* () {
      const quiet = yield* temporaryFolder
      const folder = yield* temporaryFolder
      for (const place of [quiet, folder]) writeScene(place, utterances)
      const well = yield* serving(new HostileService({ ...calm, settle: [5, 20] }))
      expect(yield* Effect.promise(() => started(quiet, well).ended)).toEqual({ how: 0, words: "" })

      const random = chance(77)
      // Some creates get no response, so that kills come between the charge and its record.
      const odds = { "create-hang-after": 0.3 }
      const service = yield* serving(new HostileService({ ...calm, settle: [100, 600], odds }))
      yield* Effect.promise(async () => {
        for (let death = 0; death < deaths; death++) {
          const { child, ended } = started(folder, service)
          const paid = service.charged.length
          // Half of the kills come at a random time, half soon after another task was charged.
          const timer = setTimeout(() => child.kill("SIGKILL"), 600 + random() * 2_500)
          if (death % 2 === 0) {
            const watch = setInterval(() => {
              if (service.charged.length <= paid + Math.floor(random() * 6)) return
              clearInterval(watch)
              setTimeout(() => child.kill("SIGKILL"), random() * 30)
            }, 5)
            void ended.then(() => clearInterval(watch))
          }
          await ended
          clearTimeout(timer)
        }
        odds["create-hang-after"] = 0
      })
      expect(yield* Effect.promise(() => started(folder, service).ended)).toEqual({ how: 0, words: "" })
      expect(service.charged.map((task) => task.text).sort()).toEqual(
        well.charged.map((task) => task.text).sort()
      )
      expect(service.charged.length).toBe(utterances)
      expect(resultIn(folder).equals(resultIn(quiet))).toBe(true)
    }),
  600_000
)
