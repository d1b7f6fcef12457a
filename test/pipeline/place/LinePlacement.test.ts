import { describe, expect, it } from "@effect/vitest"
import { Array, FastCheck as fc } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { ProviderId, SpeakerName, type UtteranceKey, VoiceId } from "../../../src/domain/values/Ids.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { FitLimits, type Placement } from "../../../src/domain/speech/Placement.ts"
import { frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { LineRef, makeUtterance, UtteranceUse } from "../../../src/domain/speech/Utterance.ts"
import { pieceGap, placeLines } from "../../../src/pipeline/place/LinePlacement.ts"
import { lineName } from "../../../src/domain/speech/Utterance.ts"

const rate = SampleRate.make(24_000)
const limits = FitLimits.make({ maxSpeed: 1.3, hardMaxSpeed: 1.6, early: millis(300), late: millis(500) })
const casting = Casting.make({ provider: ProviderId.make("provider_fast"), voice: VoiceId.make("v") })

const line = (cue: number, start: number, end: number, speaker?: string): Line =>
  Line.make({
    cue,
    part: 0,
    said: `words of cue ${cue}`,
    slot: Slot.make({ start: millis(start), end: millis(end) }),
    casting,
    ...(speaker === undefined ? {} : { speaker: SpeakerName.make(speaker) })
  })

const ref = (cue: number, piece?: number) =>
  LineRef.make({ cue, part: 0, ...(piece === undefined ? {} : { piece }) })

const use = (...refs: Array.NonEmptyArray<LineRef>): UtteranceUse => {
  const said = Array.map(refs, (each) => `words ${each.cue} ${each.piece ?? ""}`.trim())
  return UtteranceUse.make({ utterance: makeUtterance(casting, "text", said.join(" "), said), lines: refs })
}

/** A clip whose segments have these lengths in milliseconds. */
const clip = (
  of: UtteranceUse,
  cut: Clip["cut"],
  ...lengths: Array.NonEmptyArray<number>
): [UtteranceKey, Clip] => [
  of.utterance.key,
  Clip.make({
    key: of.utterance.key,
    rate,
    frames: frames(24 * lengths.reduce((sum, length) => sum + length, 0)),
    checksum: "",
    cut,
    segments: Array.map(lengths, (length) =>
      Segment.make({ from: frames(0), to: frames(24 * length), loudness: Lufs.make(-20), peak: 0.5 })
    )
  })
]

const brief = (placement: Placement) => [
  placement.lines.map(lineName).join("+"),
  placement.start,
  placement.end,
  placement.parts.length,
  placement.flags
]

describe("placing", () => {
  it("places a line that fits at its cue's time and natural speed", () => {
    const one = use(ref(1))
    const placed = placeLines({
      lines: [line(1, 1000, 3000)],
      uses: [one],
      clips: new Map([clip(one, "whole", 1500)]),
      limits
    })
    expect(placed.map(brief)).toEqual([["1.0", 1000, 2500, 1, []]])
    expect(placed[0]?.speed).toBe(1)
  })

  it("keeps an overlap of two speakers, and separates lines of one speaker", () => {
    const [a, b, c] = [use(ref(1)), use(ref(2)), use(ref(3))]
    const placed = placeLines({
      lines: [line(1, 1000, 3000, "ANNA"), line(2, 1500, 3000, "BO"), line(3, 1600, 4000, "ANNA")],
      uses: [a, b, c],
      clips: new Map([clip(a, "whole", 1500), clip(b, "whole", 1000), clip(c, "whole", 1000)]),
      limits
    })
    const at = (name: string) => placed.find((each) => each.lines.map(lineName).includes(name))
    expect([at("2.0")?.start, at("2.0")?.end]).toEqual([1500, 2500])
    expect(at("3.0")?.start).toBeGreaterThanOrEqual(at("1.0")?.end ?? 0)
  })

  it("gives lines that could not be split one placement over both slots", () => {
    const both = use(ref(1), ref(2))
    const placed = placeLines({
      lines: [line(1, 1000, 2000), line(2, 2000, 4000)],
      uses: [both],
      clips: new Map([clip(both, "together", 2800)]),
      limits
    })
    expect(placed.map(brief)).toEqual([["1.0+2.0", 1000, 3800, 1, ["together"]]])
  })

  it("joins the pieces of a long line into one placement", () => {
    const [first, second] = [use(ref(1, 0)), use(ref(1, 1))]
    const placed = placeLines({
      lines: [line(1, 0, 9000)],
      uses: [first, second],
      clips: new Map([clip(first, "whole", 2000), clip(second, "whole", 1000)]),
      limits
    })
    expect(placed.map(brief)).toEqual([["1.0", 0, 3000 + pieceGap, 2, []]])
  })

  it("places a narration's lines one after another with their pauses", () => {
    const [one, two] = [use(ref(1)), use(ref(2))]
    const told = (cue: number, pause: number) =>
      Line.make({ cue, part: 0, said: "x", pause: millis(pause), casting })
    const placed = placeLines({
      lines: [told(1, 900), told(2, 350)],
      uses: [one, two],
      clips: new Map([clip(one, "whole", 1000), clip(two, "whole", 500)]),
      limits
    })
    expect(placed.map(brief)).toEqual([
      ["1.0", 0, 1000, 1, []],
      ["2.0", 1350, 1850, 1, []]
    ])
  })

  it("leaves a gap for a line without its clip, and moves no other", () => {
    const [one, two] = [use(ref(1)), use(ref(2))]
    const lines = [line(1, 1000, 2000), line(2, 3000, 4000)]
    const placed = placeLines({ lines, uses: [one, two], clips: new Map([clip(two, "whole", 800)]), limits })
    expect(placed.map(brief)).toEqual([["2.0", 3000, 3800, 1, []]])
  })

  it.prop(
    "places every line with a clip once and in order, without overlap per speaker, within the hard speed limit",
    [
      fc.array(
        fc.record({
          gap: fc.integer({ min: -500, max: 2000 }),
          slot: fc.integer({ min: 200, max: 4000 }),
          length: fc.integer({ min: 50, max: 5000 }),
          speaker: fc.constantFrom("ANNA", "BO")
        }),
        { minLength: 1, maxLength: 25 }
      )
    ],
    ([drawn]) => {
      let at = 0
      const lines = drawn.map(({ gap, slot, speaker }, index) => {
        const start = Math.max(0, at + gap)
        at = start + slot
        return line(index + 1, start, at, speaker)
      })
      const uses = drawn.map((_, index) => use(ref(index + 1)))
      const clips = new Map(uses.map((each, index) => clip(each, "whole", drawn[index]?.length ?? 1)))
      const placed = placeLines({ lines, uses, clips, limits })
      expect(placed.flatMap((each) => each.lines.map(lineName)).sort()).toEqual(lines.map(lineName).sort())
      for (const speaker of ["ANNA", "BO"]) {
        const heard = placed.filter((each) => each.speaker === speaker)
        for (const [index, each] of heard.entries()) {
          expect(each.start).toBeGreaterThanOrEqual(heard[index - 1]?.end ?? 0)
          expect(each.speed).toBeLessThanOrEqual(limits.hardMaxSpeed + 1e-9)
        }
      }
    }
  )
})
