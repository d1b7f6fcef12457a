import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { FitLimits } from "../../../src/domain/speech/Placement.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { fitLines } from "../../../src/audio/fit/LineFitting.ts"
import {
  changeCost,
  changeWeight,
  type FitEnds,
  type FitLine,
  onsetCost,
  speedCost,
  tailCost
} from "../../../src/audio/fit/FitCost.ts"
import { exactHarm, greedies, harmOf } from "../placers.ts"
import { randomOf } from "../signals.ts"

const limits = FitLimits.make({ maxSpeed: 1.3, hardMaxSpeed: 1.6, early: millis(300), late: millis(500) })

const line = (start: number, end: number, length: number, characters = 40): FitLine => ({
  start: millis(start),
  end: millis(end),
  length: millis(length),
  characters
})

/** Subtitle lines: mostly back to back, with some gaps and overlaps, and some far too long for their slot. */
const linesOfAtLeast = (shortest: number) =>
  fc
    .array(
      fc.record({
        gap: fc.oneof(fc.constant(0), fc.integer({ min: -1_500, max: 4_000 })),
        slot: fc.integer({ min: 0, max: 6_000 }),
        length: fc.integer({ min: shortest, max: 9_000 }),
        characters: fc.integer({ min: 1, max: 200 })
      }),
      { maxLength: 40 }
    )
    .map((items) => {
      let at = 1_000
      return items.map(({ gap, slot, length, characters }) => {
        const start = Math.max(0, at + gap)
        at = start + slot
        return line(start, start + slot, length, characters)
      })
    })

const arbitraryLines = linesOfAtLeast(1)

/** A whole millisecond is a coarse step for shorter lines: it may change their pace by more than is best. */
const spokenLines = linesOfAtLeast(100)

const arbitraryLimits = fc
  .record({
    maxSpeed: fc.double({ min: 1, max: 1.5, noNaN: true }),
    more: fc.double({ min: 0, max: 1, noNaN: true }),
    early: fc.integer({ min: 0, max: 1_000 }),
    late: fc.integer({ min: 0, max: 2_000 })
  })
  .map(({ maxSpeed, more, early, late }) =>
    FitLimits.make({ maxSpeed, hardMaxSpeed: maxSpeed + more, early: millis(early), late: millis(late) })
  )

describe("fitLines", () => {
  it("measures the limits against the voice's normal speed, even if the voice was asked to hurry", () => {
    const hurried = (recorded: number) =>
      fitLines([{ ...line(0, 1_000, 3_000), recorded: millis(recorded) }], limits)[0]
    expect(hurried(2_500), "sped up from 2.5 s, as far as 3 s may be at maxSpeed").toMatchObject({
      end: Math.ceil(3_000 / 1.3),
      speed: 2_500 / Math.ceil(3_000 / 1.3),
      flags: ["overrun"]
    })
    expect(hurried(1_700), "neither slowed down nor sped up beyond the hard limit").toMatchObject({
      end: 1_700,
      speed: 1,
      flags: ["fast"]
    })
  })

  it("keeps the exact time and speed of lines that fit", () => {
    const lines = [line(1_000, 3_000, 1_900), line(3_000, 4_000, 1_000), line(9_000, 9_500, 20)]
    expect(fitLines(lines, limits)).toEqual([
      { start: 1_000, end: 2_900, speed: 1, flags: [] },
      { start: 3_000, end: 4_000, speed: 1, flags: [] },
      { start: 9_000, end: 9_020, speed: 1, flags: [] }
    ])
  })

  describe("with a minimum speed", () => {
    const slow = FitLimits.make({ ...limits, minSpeed: 0.85 })

    it("slows a line until its cue ends, but not below the minimum", () => {
      expect(fitLines([line(1_000, 2_100, 1_000)], slow)).toEqual([
        { start: 1_000, end: 2_100, speed: 1_000 / 1_100, flags: [] }
      ])
      expect(fitLines([line(1_000, 3_000, 1_000)], slow)).toEqual([
        { start: 1_000, end: 2_176, speed: 1_000 / 1_176, flags: [] }
      ])
    })

    it("slows no line that fills its cue, that was spoken again to fit, or that another one follows", () => {
      const again = { ...line(19_000, 22_000, 2_400), recorded: millis(2_000) }
      const lines = [line(1_000, 2_000, 1_000), line(5_000, 9_000, 900), line(5_900, 9_000, 3_000), again]
      expect(fitLines(lines, slow).map(({ start, end }) => [start, end])).toEqual([
        [1_000, 2_000],
        [5_000, 5_900],
        [5_900, 9_000],
        [19_000, 21_000]
      ])
    })

    it("keeps the pace of close neighbours alike", () => {
      const lines = [line(0, 2_000, 2_500), line(2_000, 5_000, 2_000), line(5_000, 9_000, 2_500)]
      const [first = 0, second = 0, third = 0] = fitLines(lines, slow).map(({ speed }) => speed)
      expect(second).toBeLessThanOrEqual(fitLines(lines, limits)[1]?.speed ?? 0)
      expect(1 / second - 1 / first).toBeLessThan(0.2)
      expect(1 / third - 1 / second).toBeLessThan(0.2)
      expect(third).toBeLessThan(1)
    })

    it.prop(
      "no line starts elsewhere to be slower, ends after its cue for it, or is slower than allowed",
      [arbitraryLines, fc.double({ min: 0.85, max: 0.99, noNaN: true })],
      ([lines, minSpeed]) => {
        const usual = fitLines(lines, limits)
        fitLines(lines, FitLimits.make({ ...limits, minSpeed })).forEach((fitted, at) => {
          const { end, length } = lines[at] ?? line(0, 0, 0)
          expect(fitted.start).toBe(usual[at]?.start)
          expect(fitted.speed).toBeGreaterThanOrEqual(minSpeed)
          if (fitted.speed >= 1) return
          expect(fitted.end).toBeLessThanOrEqual(end)
          expect(fitted.end - fitted.start).toBeGreaterThan(length)
        })
      }
    )
  })

  it("returns no placements for no lines", () => expect(fitLines([], limits)).toEqual([]))

  it("uses the following pause before it speeds up a line", () => {
    const [fitted] = fitLines([line(1_000, 3_000, 2_300), line(6_000, 7_000, 800)], limits)
    expect(fitted?.start).toBe(1_000)
    expect(fitted?.end).toBeGreaterThan(3_150)
    expect(fitted?.speed).toBeLessThan(1.08)
  })

  it("keeps the next line on time when one is too long", () => {
    const [long, next] = fitLines([line(2_000, 4_000, 2_700), line(4_000, 6_000, 1_500)], limits)
    expect(next?.start).toBe(4_000)
    expect(long?.end).toBeLessThanOrEqual(4_000)
    expect(long?.speed).toBeLessThanOrEqual(1.3)
  })

  it("spreads an excess over the neighbours of a dense stretch", () => {
    const lines = Array.from({ length: 8 }, (_, i) =>
      line(i * 2_000, i * 2_000 + 2_000, i % 2 === 0 ? 2_500 : 2_300)
    )
    const speeds = fitLines(lines, limits).map((fitted) => fitted.speed)
    expect(Math.max(...speeds) - Math.min(...speeds)).toBeLessThan(0.12)
  })

  it("reports by how many characters to shorten a line that cannot fit", () => {
    const [fitted] = fitLines([line(1_000, 2_000, 6_000, 100), line(2_500, 9_000, 100)], limits)
    expect(fitted?.flags).toContain("overrun")
    // 100 characters take 6 s. At speed 1.3, the 1.5 s up to the latest end hold 32.5 of them.
    expect(fitted?.shortenBy).toBeGreaterThanOrEqual(60)
    expect(fitted?.shortenBy).toBeLessThanOrEqual(79)
  })

  it("places overlapping lines of one speaker one after the other", () => {
    const [first, second] = fitLines([line(1_000, 4_000, 1_500), line(1_500, 4_000, 1_500)], limits)
    expect(second?.start).toBe(first?.end)
  })

  it("returns results in input order, whatever the order of the starts", () => {
    const lines = [line(5_000, 6_000, 900), line(1_000, 2_000, 900)]
    expect(fitLines(lines, limits).map((fitted) => fitted.start)).toEqual([5_000, 1_000])
  })

  it("starts a line early enough to end with the film", () => {
    const [before, last] = fitLines([line(7_000, 8_000, 900), line(9_800, 10_000, 1_600)], limits, 10_000)
    expect(last?.end).toBe(10_000)
    expect(before?.start).toBe(7_000)
  })

  it.prop(
    "lets every line end with the film if there is time for all of them",
    [arbitraryLines, fc.double({ min: 0, max: 1, noNaN: true })],
    ([lines, share]) => {
      const least = lines.reduce((sum, some) => sum + Math.ceil(some.length / limits.hardMaxSpeed), 0)
      const film = Math.max(least, ...lines.map((some) => Math.round(some.start * share)))
      const ends = fitLines(lines, limits, film).map((fitted) => fitted.end)
      expect(Math.max(0, ...ends)).toBeLessThanOrEqual(film)
    }
  )

  it("never drifts: places every line of a long file from its own time", () => {
    const lines = Array.from({ length: 2_000 }, (_, i) =>
      line(i * 3_000, i * 3_000 + 2_800, 2_000 + ((i * 7_919) % 1_100))
    )
    const fitted = fitLines(lines, limits)
    const shifts = lines.map((some, i) => Math.abs((fitted[i]?.start ?? 0) - some.start))
    expect(Math.max(...shifts)).toBeLessThanOrEqual(300)
  })

  it.prop("keeps order, limits and every word", [arbitraryLines, arbitraryLimits], ([lines, given]) => {
    const fitted = fitLines(lines, given)
    expect(fitted.length).toBe(lines.length)
    const heard = lines
      .flatMap((some, i) => fitted.slice(i, i + 1).map((placed) => ({ some, ...placed })))
      .sort((a, b) => a.some.start - b.some.start)
    let free = 0
    for (const { some, start, end, speed } of heard) {
      expect(start).toBeGreaterThanOrEqual(free)
      expect(start).toBeGreaterThanOrEqual(some.start - given.early)
      expect(speed).toBeGreaterThanOrEqual(1)
      expect(speed).toBeLessThanOrEqual(given.hardMaxSpeed + 1e-9)
      expect(speed).toBe(some.length / (end - start))
      free = end
    }
  })

  it.prop("costs no more than any greedy placement", [spokenLines, arbitraryLimits], ([lines, given]) => {
    const sorted = [...lines].sort((a, b) => a.start - b.start)
    const ours = harmOf(sorted, fitLines(sorted, given), given)
    for (const greedy of greedies)
      expect(ours).toBeLessThanOrEqual(harmOf(sorted, greedy(sorted, given), given) + 1e-6)
  })

  it("comes within 1 % of an exact solver on small cases", () => {
    const random = randomOf(5)
    for (let round = 0; round < 40; round++) {
      let at = 500
      const lines = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
        const start = at + (random() < 0.5 ? 0 : Math.round(random() * 120) * 10)
        const slot = 300 + Math.round(random() * 150) * 10
        at = start + slot
        return line(start, at, Math.round(slot * (0.04 + 0.14 * random())) * 10)
      })
      const exact = exactHarm(lines, limits, 10, 1_500)
      expect(harmOf(lines, fitLines(lines, limits), limits)).toBeLessThanOrEqual(exact * 1.01 + 1e-9)
    }
  })

  it("comes within 1 % of an exact solver for several speakers, with sentences and overlaps", () => {
    const random = randomOf(7)
    for (let round = 0; round < 40; round++) {
      let at = 500
      const lines = Array.from({ length: 2 + Math.floor(random() * 3) }, () => {
        const start = Math.max(0, at + Math.round((random() - 0.4) * 60) * 10)
        const slot = 300 + Math.round(random() * 120) * 10
        at = start + slot
        const said = line(start, at, Math.round(slot * (0.04 + 0.14 * random())) * 10)
        return { ...said, speaker: "ABC"[Math.floor(random() * 3)] ?? "", endsSentence: random() < 0.5 }
      }).sort((a, b) => a.start - b.start)
      const exact = exactHarm(lines, limits, 10, 1_500)
      expect(harmOf(lines, fitLines(lines, limits), limits)).toBeLessThanOrEqual(exact * 1.01 + 1e-9)
    }
  })

  it.prop(
    "never lets speakers overlap in a scene where the source has no overlap",
    [arbitraryLines, arbitraryLimits, fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1 })],
    ([lines, given, speakers]) => {
      let free = 0
      const apart = lines.map((some, at) => {
        const start = Math.max(some.start, free)
        free = start + (some.end - some.start)
        return { ...line(start, free, some.length), speaker: `${speakers[at % speakers.length]}` }
      })
      const fitted = fitLines(apart, given)
      fitted.slice(1).forEach(({ start }, at) => expect(start).toBeGreaterThanOrEqual(fitted[at]?.end ?? 0))
    }
  )

  it("runs late for free only until another speaker's line begins", () => {
    const [first, second] = fitLines(
      [
        { ...line(1_000, 3_000, 2_400), speaker: "A" },
        { ...line(3_100, 5_000, 1_500), speaker: "B" }
      ],
      limits
    )
    expect(second?.start).toBe(3_100)
    expect(first?.end).toBeLessThanOrEqual(3_100)
  })

  it("keeps an overlap of the source, and each line of it on time", () => {
    const lines = [
      { ...line(1_000, 4_000, 3_000), speaker: "A" },
      { ...line(2_000, 3_000, 1_000), speaker: "B" }
    ]
    expect(fitLines(lines, limits).map(({ start, end }) => [start, end])).toEqual([
      [1_000, 4_000],
      [2_000, 3_000]
    ])
  })

  it("keeps a breath after a sentence, if the source has one", () => {
    const ends = (endsSentence: boolean) =>
      fitLines([{ ...line(1_000, 3_000, 2_450), endsSentence }, line(3_400, 5_000, 900)], limits)[0]?.end ?? 0
    expect(ends(false)).toBeGreaterThan(3_300)
    expect(ends(true)).toBeLessThanOrEqual(3_250)
  })

  it("hurries a line that fits to 1.1 at most for a crowded neighbour, and not across a pause", () => {
    const speeds = (pause: number) =>
      fitLines(
        [
          line(0, 2_000, 2_000),
          line(2_000 + pause, 4_000 + pause, 2_600),
          line(4_000 + pause, 6_000 + pause, 1_000)
        ],
        limits
      ).map(({ speed }) => speed)
    expect(speeds(0)[0]).toBeGreaterThan(1)
    expect(speeds(0)[0]).toBeLessThanOrEqual(1.1)
    expect(speeds(500)[0]).toBe(1)
  })

  it("lets a line run on into a long silence rather than hurry it", () => {
    const at = (next: number) => fitLines([line(0, 2_000, 3_200), line(next, next + 2_000, 900)], limits)[0]
    expect(at(2_600)).toMatchObject({ end: expect.closeTo(2_500, -2), flags: [] })
    expect(at(6_000)?.end).toBeGreaterThan(2_600)
    expect(at(6_000)?.end).toBeLessThanOrEqual(3_000)
    expect(at(6_000)?.flags).toEqual([])
  })

  it("uses the permitted speed for a line that is over anyway", () => {
    const [fitted] = fitLines([line(0, 2_000, 5_000)], limits)
    expect(fitted?.flags).toEqual(["overrun"])
    expect(fitted?.speed).toBeCloseTo(1.3, 2)
  })

  it("places a film of 5,000 cues within 2 s", () => {
    const random = randomOf(3)
    const lines = Array.from({ length: 5_000 }, (_, i) => ({
      ...line(i * 2_000, i * 2_000 + 1_800, 900 + Math.round(random() * 1_500)),
      speaker: `${i % 4}`,
      endsSentence: true
    }))
    const began = process.cpuUsage()
    fitLines(lines, FitLimits.make({ ...limits, minSpeed: 0.9 }))
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000)
  })
})

/** Ends that charge nothing for a breath or another speaker's line. */
const ends: FitEnds = { breath: Infinity, allowed: 6_000, barrier: Infinity, isBarrier: false }

describe("the cost of a placement", () => {
  const whole = fc.integer({ min: -3_000, max: 6_000 })

  it.prop("is convex in start and end", [whole, whole, whole, whole], ([s1, d1, s2, d2]) => {
    const some = line(3_000, 5_000, 2_400)
    const at = (start: number, duration: number) =>
      onsetCost(some, ends, start) +
      tailCost(some, ends, start + duration, 500) +
      speedCost(some, duration, 1.3)
    const clamped = (duration: number) => Math.max(1_500, Math.min(2_400, Math.abs(duration)))
    const middle = at((s1 + s2) / 2, (clamped(d1) + clamped(d2)) / 2)
    expect(middle).toBeLessThanOrEqual((at(s1, clamped(d1)) + at(s2, clamped(d2))) / 2 + 1e-9)
  })

  it("is 0 for a line at its time and normal speed", () => {
    expect(harmOf([line(0, 10, 10)], [{ start: 0, end: 10 }], limits)).toBe(0)
  })

  it("counts each term once", () => {
    const lines = [line(0, 1_000, 1_000), line(1_000, 2_000, 1_200)]
    const heard = [
      { start: 100, end: 1_100 },
      { start: 1_100, end: 2_100 }
    ]
    const [onset, onsetOfLong] = [70 * 0.1, 50 * 0.1]
    const speed = 1.2 * (0.4 * 0.2 + 4.5 * 0.04)
    const expected = onset + onsetOfLong + 2 * 0.3 * 0.1 + speed + changeCost(1, 1 / 1.2, 1)
    expect(harmOf(lines, heard, limits)).toBeCloseTo(expected, 9)
  })

  it("of a change of speed is lower after a pause", () => {
    const first = line(0, 1_000, 1_000)
    const after = (pause: number) => changeWeight(first, line(1_000 + pause, 3_000 + pause, 900))
    expect([-500, 0, 300, 400, 500, 10_000].map(after)).toEqual([1, 1, 1, 0.5, 0, 0])
    const [alone] = fitLines([first, line(11_000, 12_000, 3_000)], limits)
    expect(alone, "far from the rushed line").toMatchObject({ start: 0, end: 1_000, speed: 1 })
  })
})
