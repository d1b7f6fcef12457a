import { describe, expect, it } from "@effect/vitest"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { Estimate } from "../../../src/domain/values/Estimate.ts"
import { ProviderId, SpeakerName, VoiceId } from "../../../src/domain/values/Ids.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { FitLimits } from "../../../src/domain/speech/Placement.ts"
import { frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { LineRef, makeUtterance, UtteranceUse } from "../../../src/domain/speech/Utterance.ts"
import { forecastFit } from "../../../src/pipeline/place/FitForecast.ts"

const casting = Casting.make({ provider: ProviderId.make("provider_fast"), voice: VoiceId.make("v") })
const short = "Come in."
const long = "The harbour master wants to see the papers of every boat that came in after midnight."

const line = (cue: number, start: number, said: string): Line =>
  Line.make({
    cue,
    part: 0,
    said,
    speaker: SpeakerName.make("ANNA"),
    slot: Slot.make({ start: millis(start), end: millis(start + 2_000) }),
    casting
  })

const lines = [line(1, 1_000, short), line(2, 10_000, long)]
const uses = lines.map(({ cue, said }) =>
  UtteranceUse.make({
    utterance: makeUtterance(casting, "text", said, [said]),
    lines: [LineRef.make({ cue, part: 0 })]
  })
)
const plan = {
  job: {
    fit: FitLimits.make({ maxSpeed: 1.3, hardMaxSpeed: 1.6, early: millis(300), late: millis(500) })
  },
  lines,
  uses,
  words: { cues: lines.map(({ cue }) => ({ cue, line: cue * 4 })) },
  video: undefined
}

describe("the forecast", () => {
  it("estimates unspoken lines from their words, and reports the line that will not fit", () => {
    const { tight, lengths } = forecastFit(plan, { clips: new Map(), speechTime: () => undefined })
    expect(lengths).toEqual({ measured: 0, learned: 0, estimated: 2 })
    expect(tight).toHaveLength(1)
    const [found] = tight
    expect(found).toMatchObject({
      cue: 2,
      line: 8,
      speaker: "ANNA",
      said: long,
      start: 10,
      end: 12,
      lengthFrom: "estimated"
    })
    expect(found?.needs).toBeGreaterThan(3.5)
    expect(found?.needs).toBeLessThan(6.5)
    expect(found?.shortenBy).toBeGreaterThan(5)
    expect(found?.shortenBy).toBeLessThan(long.length)
  })

  it("trusts the voice's learned rate more with every clip", () => {
    const needsAfter = (count: number): number => {
      const pace = Estimate.make({ count, mean: 150, spread: 4 })
      const { tight, lengths } = forecastFit(plan, { clips: new Map(), speechTime: () => pace })
      expect(lengths).toEqual({ measured: 0, learned: 2, estimated: 0 })
      return tight.find(({ cue }) => cue === 2)?.needs ?? 0
    }
    const usual = (long.length * 150) / 1000
    expect(needsAfter(1)).toBeLessThan(usual * 0.6)
    expect(needsAfter(100_000)).toBeCloseTo(usual, 2)
  })

  it("prefers an existing clip to any estimate", () => {
    const { key } = makeUtterance(casting, "text", long, [long])
    const clip = Clip.make({
      key,
      rate: SampleRate.make(24_000),
      frames: frames(24 * 1_900),
      checksum: "",
      cut: "whole",
      segments: [
        Segment.make({ from: frames(0), to: frames(24 * 1_900), loudness: Lufs.make(-20), peak: 0.5 })
      ]
    })
    const { tight, lengths } = forecastFit(plan, {
      clips: new Map([[key, clip]]),
      speechTime: () => undefined
    })
    expect([tight, lengths]).toEqual([[], { measured: 1, learned: 0, estimated: 1 }])
  })
})
