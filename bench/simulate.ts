/**
 * Runs simulated batches, and prints the seeds that break a law, each with the shortest schedule that still does.
 *
 *     npm run simulate -- [batches] [first seed]
 */
import { Effect } from "effect"
import { checkSchedule, drawSchedule, shortest } from "../test/simulation/Schedules.ts"

const [count = 1_000_000, first = 1] = process.argv.slice(2).map(Number)
const every = 1_000
const began = performance.now()
let broken = 0
const rate = (done: number) => `${((done * 1_000) / (performance.now() - began)).toFixed(0)} a second`

await Effect.runPromise(
  Effect.gen(function* () {
    for (let seed = first; seed < first + count; seed++) {
      const schedule = drawSchedule(seed)
      const breach = yield* checkSchedule(schedule)
      if (breach !== undefined) {
        broken++
        console.log(`seed ${seed}: ${breach.words}\n${JSON.stringify(yield* shortest(schedule, breach.law))}`)
      }
      const done = seed - first + 1
      if (done % every === 0) console.log(`${done} batches, ${rate(done)}, ${broken} broken`)
    }
  })
)
console.log(`${count} batches, ${rate(count)}, ${broken} broken`)
process.exit(broken === 0 ? 0 : 1)
