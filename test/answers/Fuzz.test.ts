/**
 * A fuzzer of answers. A seed draws a service: its names, envelopes, states, orders, and faults at every call. The law:
 * no line is paid twice, unless its first task is proven lost; the run ends; each line is spoken or says why not.
 *
 * `DUBWRIGHT_ANSWERS=20000 npx vitest run test/answers/Fuzz.test.ts` draws more cases.
 * `DUBWRIGHT_SEED=123` repeats one.
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { speakAt } from "./AnswerWorld.ts"
import { drawService } from "./DrawnService.ts"

const only = process.env["DUBWRIGHT_SEED"]
const cases = only === undefined ? Number(process.env["DUBWRIGHT_ANSWERS"] ?? "300") : 1

/** Seeds that found a fault. */
const once = [2403, 3427, 6000]

it.effect(
  `pays for no line twice in ${cases} services`,
  () =>
    Effect.gen(function* () {
      const seeds =
        only === undefined ? [...once, ...Array.from({ length: cases }, (_, at) => at + 1)] : [Number(only)]
      for (const seed of seeds) {
        const shape = drawService(seed)
        const end = yield* speakAt(shape, { lines: 3, concurrency: 3, runs: shape.runs })
        const texts = end.paid.map(({ text }) => text)
        const facts = {
          seed,
          states: end.states,
          paid: texts.length,
          lines: new Set(texts).size,
          halt: end.halt
        }
        expect(texts.length, JSON.stringify({ ...facts, messages: end.messages.slice(-5) })).toBe(
          new Set(texts).size
        )
        for (const [at, state] of end.states.entries())
          expect(
            state === "fetched" || end.reasons.length > 0 || end.halt !== undefined,
            JSON.stringify({ ...facts, at })
          ).toBe(true)
        expect(end.seconds, JSON.stringify(facts)).toBeLessThan(3_600 * shape.runs)
      }
    }),
  { timeout: 3_600_000 }
)
