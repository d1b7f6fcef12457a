import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { SpeakerName, UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { sampleProgramme } from "../../../src/pipeline/mix/LoudnessSample.ts"
import type { Programme } from "../../../src/pipeline/mix/MixLines.ts"

const rate = SampleRate.make(24_000)

/** Lines of these lengths in milliseconds; each starts `wait` after the start of the previous one. */
const programmeOf = (
  lines: ReadonlyArray<readonly [wait: number, length: number]>,
  minutes: number
): Programme => {
  let start = 0
  const placements = lines.map(([wait, length], cue) => {
    start += wait
    return Placement.make({
      lines: [LineRef.make({ cue, part: 0 })],
      parts: [ClipPart.make({ utterance: UtteranceKey.make(`${cue}`.padStart(64, "0")), segment: 0 })],
      speaker: SpeakerName.make("ANNA"),
      start: millis(start),
      end: millis(start + length),
      speed: 1,
      flags: []
    })
  })
  return {
    placements,
    clips: new Map(),
    rate,
    length: frames(minutes * 60 * rate),
    channels: 1,
    panOf: () => 0
  }
}

const minutesOf = ({ length }: Programme) => length / rate / 60

describe("an excerpt", () => {
  it("is the programme itself if that is short", () => {
    const short = programmeOf([[0, 3_000]], 4)
    expect(sampleProgramme(short)).toBe(short)
  })

  it("contains every line of a long film with few lines", () => {
    const sparse = programmeOf(
      Array.from({ length: 12 }, () => [600_000, 3_000] as const),
      121
    )
    const excerpt = sampleProgramme(sparse)
    expect(excerpt.placements.map(({ lines: [{ cue }] }) => cue)).toEqual(
      Array.from({ length: 12 }, (_, i) => i)
    )
    expect(minutesOf(excerpt)).toBeLessThan(1)
  })

  it("takes lines from all over a film with many lines, and stays short however long the film is", () => {
    for (const hours of [1, 10]) {
      const dense = programmeOf(
        Array.from({ length: hours * 1_000 }, () => [3_600, 2_500] as const),
        hours * 60
      )
      const excerpt = sampleProgramme(dense)
      expect(minutesOf(excerpt)).toBeGreaterThan(3)
      expect(minutesOf(excerpt)).toBeLessThan(4.5)
      const cues = excerpt.placements.map(({ lines: [{ cue }] }) => cue / (hours * 1_000))
      expect(cues[0]).toBeLessThan(0.15)
      expect(cues.at(-1)).toBeGreaterThan(0.9)
      const middle = cues.filter((at) => at > 0.25 && at < 0.75).length / cues.length
      expect(Math.abs(middle - 0.5)).toBeLessThan(0.1)
    }
  })

  it("keeps overlapping lines together, since alone they would be softer", () => {
    const crowd = programmeOf(
      Array.from({ length: 4_000 }, () => [1_800, 3_000] as const),
      121
    )
    const cues = sampleProgramme(crowd).placements.map(({ lines: [{ cue }] }) => cue)
    const apart = cues.filter((cue, at) => cues[at + 1] !== cue + 1)
    expect(apart.length / cues.length).toBeLessThan(0.15)
  })

  it("leaves no longer silences between lines than the film has", () => {
    const brisk = programmeOf(
      Array.from({ length: 4_000 }, () => [2_100, 2_000] as const),
      141
    )
    const { placements } = sampleProgramme(brisk)
    expect(placements.length).toBeLessThan(200)
    const silences = placements.slice(1).map(({ start }, at) => start - (placements[at]?.end ?? 0))
    expect(new Set(silences)).toEqual(new Set([100]))
  })

  it.prop(
    "keeps the length and order of lines",
    [
      fc.array(fc.tuple(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 9_000 })), {
        maxLength: 60
      })
    ],
    ([lines]) => {
      const programme = programmeOf(lines, 600)
      const excerpt = sampleProgramme(programme)
      const lengths = new Map(
        programme.placements.map(({ lines: [{ cue }], start, end }) => [cue, end - start])
      )
      let last = 0
      for (const {
        lines: [{ cue }],
        start,
        end
      } of excerpt.placements) {
        expect(end - start).toBe(lengths.get(cue))
        expect(start).toBeGreaterThanOrEqual(last)
        expect((end * rate) / 1000).toBeLessThanOrEqual(excerpt.length)
        last = start
      }
    }
  )
})
