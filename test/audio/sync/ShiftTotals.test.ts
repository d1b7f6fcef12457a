/** Totals of evidence at every shift: the kernels' bits against plain loops. */
import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { evidenceRow, type FilmEvidence } from "../../../src/audio/sync/CueEvidence.ts"
import { ShiftTotals } from "../../../src/audio/sync/ShiftTotals.ts"
import { randomOf } from "../signals.ts"

const evidenceOf = (random: () => number): FilmEvidence => {
  const [steps, margin] = [400, 100]
  const sums = Float64Array.from({ length: steps + 2 * margin + 1 }, () => 20 * random())
  const onsets = Float32Array.from({ length: steps + 2 * margin }, () => 4 * random() - 2)
  return { perSecond: 10, sums, onsets, margin }
}

/** `ShiftTotals.addOrJump`, one shift after the other. */
const plainAddOrJump = (
  { totals, breakOf, records }: Pick<ShiftTotals, "totals" | "breakOf" | "records">,
  row: Float64Array,
  [first, until]: readonly [number, number],
  highest: number,
  made: number,
  most: number,
  count: number
): number => {
  for (let k = first; k < until; k++) {
    if (totals[k]! < highest) [totals[k], breakOf[k]] = [highest, made]
    totals[k] = totals[k]! + row[k]!
    if (totals[k]! <= most) continue
    most = totals[k]!
    records[count++] = k
  }
  return count
}

it.prop(
  "have the same bits as those of plain loops, for cues in the film and far outside, with barred shifts and without",
  [FastCheck.integer({ min: 1, max: 1_000_000 }), FastCheck.integer({ min: 1, max: 150 })],
  ([seed, shifts]) => {
    const random = randomOf(seed)
    const evidence = evidenceOf(random)
    const from = Math.round(20 * random()) - 10
    const own = new ShiftTotals(evidence, shifts, from)
    const plain = {
      totals: new Float64Array(shifts),
      breakOf: new Int32Array(shifts),
      records: new Int32Array(shifts)
    }
    const row = new Float64Array(shifts)
    for (let cue = 0; cue < 12; cue++) {
      const start = 100 * random() - 30
      const span = { start, end: start + 5 * random() }
      const barred = cue % 3 === 2 ? [...row.keys()].filter(() => random() < 0.3) : []
      evidenceRow(evidence, span, from, row)
      for (const k of barred) row[k] = -Infinity
      if (cue % 2 === 0) {
        own.add(own.rowOf(span, barred))
        for (let k = 0; k < shifts; k++) plain.totals[k] = plain.totals[k]! + row[k]!
        continue
      }
      const middle = Math.floor(random() * (shifts + 1))
      const highest = 20 * random() - 10
      const place = own.rowOf(span, barred)
      let [count, plainCount, most] = [0, 0, -Infinity]
      for (const part of [[0, middle] as const, [middle, shifts] as const]) {
        count = own.addOrJump(place, ...part, highest, cue, most, count)
        plainCount = plainAddOrJump(plain, row, part, highest, cue, most, plainCount)
        most = plain.totals[plain.records[plainCount - 1] ?? 0]!
        if (plainCount === 0) most = -Infinity
      }
      expect(own.records.subarray(0, count)).toEqual(plain.records.subarray(0, plainCount))
    }
    expect(own.totals).toEqual(plain.totals)
    expect(own.breakOf).toEqual(plain.breakOf)
  },
  { fastCheck: { numRuns: 100 } }
)

it("loads the evidence of a longer film, and that of the first one again", () => {
  const random = randomOf(5)
  const [short, long] = [evidenceOf(random), evidenceOf(random)]
  const pages = 1_100
  const larger = { ...long, onsets: new Float32Array((pages * 65_536) / 4).fill(1) }
  const span = { start: 3, end: 5 }
  const totalsOf = (evidence: FilmEvidence) => {
    const sum = new ShiftTotals(evidence, 21, 0)
    sum.add(sum.rowOf(span))
    return sum.totals.slice()
  }
  const before = totalsOf(short)
  const row = new Float64Array(21)
  for (const evidence of [larger, short]) {
    evidenceRow(evidence, span, 0, row)
    expect(totalsOf(evidence)).toEqual(row)
  }
  expect(totalsOf(short)).toEqual(before)
})
