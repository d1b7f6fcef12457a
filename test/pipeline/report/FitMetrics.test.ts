import { expect, test } from "vitest"
import { SpeakerName } from "../../../src/domain/values/Ids.ts"
import { Lufs, millis } from "../../../src/domain/time/Units.ts"
import {
  type DubbedCue,
  type HeardLine,
  metricsOf,
  percentile
} from "../../../src/pipeline/report/FitMetrics.ts"

const spoken = (
  start: number,
  end: number,
  from: number,
  to: number,
  speed = 1,
  overrun = false
): DubbedCue => ({
  status: "spoken",
  start: millis(start),
  end: millis(end),
  cutWords: 0,
  heard: { start: millis(from), end: millis(to), speed, overrun }
})

const line = (speaker: string, start: number, end: number, speed = 1, loudness = -16): HeardLine => ({
  speaker: SpeakerName.make(speaker),
  start: millis(start),
  end: millis(end),
  speed,
  flags: [],
  loudness: Lufs.make(loudness)
})

test("computes every metric as the report defines it", () => {
  const cues: ReadonlyArray<DubbedCue> = [
    spoken(1000, 3000, 1000, 2000),
    spoken(4000, 5000, 4200, 5600, 1.4, true),
    { status: "skipped", start: millis(6000), end: millis(7000), cutWords: 2 },
    { status: "failed", start: millis(8000), end: millis(9000), cutWords: 0 }
  ]
  const heard = [
    line("ANNA", 1000, 2000, 1, -17),
    line("ANNA", 4200, 5600, 1.4, -15),
    line("BO", 4500, 5000, 1, -16)
  ]
  expect(metricsOf(cues, heard, { integrated: -16.004, truePeak: -1.5 })).toEqual({
    cues: 4,
    spoken: 2,
    skipped: 1,
    failed: 1,
    coverage: 0.6667,
    onsetShift: { p50: 0, p95: 0.2, max: 0.2 },
    tailLateness: { p95: 0.6, max: 0.6 },
    speed: { p50: 1, p95: 1.4, max: 1.4 },
    speedOver13: 1,
    speedStep: { p95: 0.4 },
    // ∩: 1000 + 800; ∪: 2000 + 1600.
    isochrony: 0.5,
    // 1000 of 2000 ms, which is under 60 %, and 200 of 1000 ms.
    empty: { seconds: 1.2, cues: 1 },
    overruns: 1,
    overlaps: 0,
    cutWords: 2,
    loudness: { integrated: -16, truePeak: -1.5, clipSpread: 2 }
  })
})

test("counts the lines that overlap though the source does not, of any speaker", () => {
  const heard = [
    { ...line("ANNA", 0, 1000), flags: ["overlap" as const] },
    line("BO", 900, 1500),
    line("EVE", 0, 1500)
  ]
  expect(metricsOf([], heard, { integrated: -16, truePeak: -2 }).overlaps).toBe(1)
})

test("gives a job with nothing to say full coverage", () => {
  const metrics = metricsOf([{ status: "skipped", start: millis(0), end: millis(10), cutWords: 0 }], [], {
    integrated: -70,
    truePeak: -90
  })
  expect([metrics.coverage, metrics.isochrony, metrics.speed.p50]).toEqual([1, 1, 1])
})

test("takes percentiles by nearest rank", () => {
  expect([0, 50, 95, 100].map((percent) => percentile([4, 1, 3, 2], percent))).toEqual([1, 2, 4, 4])
})
