import { expect, it } from "@effect/vitest"
import { FastCheck as fc, HashMap } from "effect"
import { UtteranceKey } from "../../../src/domain/values/Ids.ts"
import * as Ledger from "../../../src/pipeline/speak/Ledger.ts"

/** Lines of a batch, whose creates reach the service late, or never, and whose answers are late, or lost. */
interface Line {
  readonly key: UtteranceKey
  readonly cost: number
  /** `sent` by this run, or `announced` by one that was killed since. */
  state: "unsent" | "sent" | "announced" | "done"
  isAccepted: boolean
}

/** A batch, its ledger and the service's: what happens to each is drawn step by step. */
class Batch {
  readonly lines: ReadonlyArray<Line>
  ledger: Ledger.Ledger
  /** What the service has charged, and what the state has recorded of it. */
  charged = 0
  recorded = 0
  /** The exposure at the start of this run, by the creates of earlier ones. */
  accepted = 0

  constructor(
    costs: ReadonlyArray<number>,
    private limit: number
  ) {
    this.lines = costs.map((cost, at) => ({
      key: UtteranceKey.make(at.toString(16).padStart(64, "0")),
      cost,
      state: "unsent",
      isAccepted: false
    }))
    this.ledger = Ledger.openLedger(limit)
  }

  send(line: Line): void {
    if (line.state !== "unsent" || !Ledger.fits(this.ledger, line.cost)) return
    this.ledger = Ledger.hold(this.ledger, line.key, line.cost)
    line.state = "sent"
  }

  arrive(line: Line): void {
    if (line.isAccepted || (line.state !== "sent" && line.state !== "announced")) return
    line.isAccepted = true
    this.charged += line.cost
  }

  /** The answer to a create; that of an earlier run is found in the service's history, if it arrived. */
  answer(line: Line): void {
    if (line.state !== "sent" && line.state !== "announced") return
    if (!line.isAccepted) this.ledger = Ledger.release(this.ledger, line.key)
    else if (line.state === "sent") this.ledger = Ledger.pay(this.ledger, line.key, line.cost)
    else this.ledger = Ledger.adopt(this.ledger, line.key, line.cost)
    if (line.isAccepted) this.recorded += line.cost
    line.state = line.isAccepted ? "done" : "unsent"
  }

  /** Kills the run. The next one knows what is recorded, and which creates were announced. */
  crash(limit: number): void {
    this.limit = limit
    this.ledger = Ledger.openLedger(limit, this.recorded)
    for (const line of this.lines) {
      if (line.state === "sent") line.state = "announced"
      if (line.state === "announced") this.ledger = Ledger.hold(this.ledger, line.key, line.cost)
    }
    this.accepted = this.exposure
  }

  /** What the service has charged, or may still charge: a create that is under way can arrive at any time. */
  get exposure(): number {
    const underWay = this.lines.filter(({ state }) => state === "sent" || state === "announced")
    return underWay.reduce((sum, { cost }) => sum + cost, this.recorded)
  }

  /** The highest exposure that the limit allows. */
  get allowed(): number {
    return Math.max(this.limit, this.accepted)
  }
}

const arbitraryLimit = fc.integer({ min: 0, max: 300 })
const arbitrarySteps = fc.array(
  fc.record({
    what: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom("send" as const, "arrive" as const, "answer" as const) },
      { weight: 1, arbitrary: fc.constant("crash" as const) }
    ),
    line: fc.nat(19),
    limit: arbitraryLimit
  }),
  { maxLength: 200 }
)

it.prop(
  "no order of holding, paying, releasing, crashing and resuming exceeds the limit by more than was accepted before",
  {
    costs: fc.array(fc.nat(50), { minLength: 20, maxLength: 20 }),
    limit: arbitraryLimit,
    steps: arbitrarySteps
  },
  ({ costs, limit, steps }) => {
    const batch = new Batch(costs, limit)
    for (const { what, line, limit: next } of steps) {
      const one = batch.lines[line]
      if (what === "crash") batch.crash(next)
      else if (one !== undefined) batch[what](one)
      expect(batch.charged).toBeLessThanOrEqual(batch.exposure)
      expect(batch.exposure).toBeLessThanOrEqual(batch.allowed)
      const { earlier, spent, held, holds } = batch.ledger
      expect(earlier + spent).toBe(batch.recorded)
      expect(held).toBe([...HashMap.values(holds)].reduce((sum, cost) => sum + cost, 0))
    }
  },
  { fastCheck: { numRuns: 500 } }
)

it("counts a task of unknown cost by what was held for it, and its total as unknown", () => {
  const [key, other] = [UtteranceKey.make("a".repeat(64)), UtteranceKey.make("b".repeat(64))]
  const paid = Ledger.pay(Ledger.hold(Ledger.openLedger(10), key, 4), key, undefined)
  expect([paid.spent, paid.held, paid.isExact]).toEqual([4, 0, false])
  expect(Ledger.fits(Ledger.hold(paid, other, 5), 2)).toBe(false)
})

it("measures the limit by the account if that is charged more than counted", () => {
  const key = UtteranceKey.make("a".repeat(64))
  const paid = Ledger.pay(Ledger.openLedger(100), key, 20)
  const read = Ledger.readFall(paid, 40)
  expect([Ledger.fits(paid, 80), Ledger.fits(read, 30), Ledger.fits(read, 31)]).toEqual([true, true, false])
  expect(Ledger.readFall(read, 20).fall).toBeUndefined()
})
