import { expect, it } from "@effect/vitest"
import { syncSummary, type SyncWording } from "../../../src/pipeline/sync/FilmComparison.ts"

const found = (count: number, mode: "check" | "auto", applied = false): SyncWording => ({
  verdict: "pieces",
  offset: 1,
  rate: 1,
  pieces: Array.from({ length: count }, (_, i) => ({ from: i * 60, to: i * 60 + 59, offset: i + 1 })),
  confidence: 0.98,
  applied,
  mode,
  parts: 20,
  agreeing: 20,
  doubtful: 0.02
})

it("advises sync: auto only for as many pieces as it corrects", () => {
  const basis = "(20 of 20 parts agree, the sound does not support 2 % of the cues, confidence 0.98)"
  const four =
    "the subtitle has 4 parts with different shifts: " +
    "+1.00 s from 0:00:00, +2.00 s from 0:01:00, +3.00 s from 0:02:00, +4.00 s from 0:03:00"
  const five = `${four.replace("4 parts", "5 parts")}, +5.00 s from 0:04:00`
  expect(syncSummary(found(4, "check"))).toBe(
    `${four} ${basis}; its times are unchanged; set sync: auto to correct them`
  )
  expect(syncSummary(found(4, "auto", true))).toBe(`${four} ${basis}; its times were corrected`)
  expect(syncSummary(found(5, "check"))).toBe(`${five} ${basis}; its times are unchanged`)
  expect(syncSummary(found(5, "auto"))).toBe(`${five} ${basis}; its times are unchanged`)
})
