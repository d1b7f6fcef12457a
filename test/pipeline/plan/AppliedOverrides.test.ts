import { describe, expect, it } from "vitest"
import { Either } from "effect"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import type { CueOverrides } from "../../../src/domain/manifest/CueOverride.ts"
import type { UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { ProviderId, SpeakerName, VoiceId } from "../../../src/domain/values/Ids.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { FitLimits } from "../../../src/domain/speech/Placement.ts"
import { ProviderProfile, profileOf } from "../../../src/domain/speech/ProviderProfile.ts"
import { frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { applyOverrides } from "../../../src/pipeline/plan/AppliedOverrides.ts"
import { placeLines } from "../../../src/pipeline/place/LinePlacement.ts"
import { planUtterances, type UtteranceRules } from "../../../src/script/utterances/UtterancePlan.ts"

const native = ProviderId.make("provider_native")
const casting = Casting.make({ provider: native, voice: VoiceId.make("anna") })
const rules: UtteranceRules = { profileOf, unit: "cue", nativeInput: "srt", timed: true }

const texts = new Map([
  [1, "One."],
  [2, "Two."],
  [3, "Three."]
])
const lineOf = (cue: number, said: string, part = 0) =>
  Line.make({
    cue,
    part,
    said,
    casting,
    speaker: SpeakerName.make("ANNA"),
    slot: Slot.make({ start: millis(cue * 2_000), end: millis(cue * 2_000 + 1_500) })
  })
const lines = [...texts].map(([cue, text]) => lineOf(cue, text))
const { uses } = planUtterances(lines, rules)
const [shared] = uses

const mend = (overrides: CueOverrides, more: Partial<UtteranceRules> = {}) => {
  const allRules = { ...rules, ...more }
  return applyOverrides(
    { lines, uses: planUtterances(lines, allRules).uses },
    overrides,
    (cue) => texts.get(cue),
    allRules
  )
}

describe("overrides", () => {
  it("leave a script unchanged if there are none", () => {
    expect(mend({})).toEqual(Either.right({ lines, uses, notices: [] }))
  })

  it("give a line a tone, if its provider accepts tones", () => {
    const plain = ProviderProfile.make({
      ...profileOf(ProviderId.make("provider_expressive")),
      tone: "[{tone}] {text}"
    })
    const told = mend({ "2": { tone: "whispers" } }, { profileOf: () => plain })
    expect(Either.getOrThrow(told).uses.map(({ utterance }) => utterance.text)).toContain("[whispers] Two.")
    expect(Either.getOrThrow(mend({ "2": { tone: "whispers" } })).uses).toEqual(uses)
  })

  it("give a changed line its own utterance, and keep the one it shared", () => {
    const after = Either.getOrThrow(mend({ "2": { was: "Two.", say: "Two, and no more." } }))
    expect(uses).toHaveLength(1)
    expect(after.lines.map(({ said }) => said)).toEqual(["One.", "Two, and no more.", "Three."])
    expect(
      after.uses.map(({ utterance, lines: refs }) => [
        utterance.said,
        refs.map((ref) => [ref.cue, ref.replaced])
      ])
    ).toEqual([
      [
        ["One.", "Two.", "Three."],
        [
          [1, undefined],
          [2, true],
          [3, undefined]
        ]
      ],
      [["Two, and no more."], [[2, undefined]]]
    ])
    expect(after.uses[0]?.utterance.key).toBe(shared?.utterance.key)
    expect(after.notices).toEqual([])
  })

  it("drop an utterance when all its lines are replaced", () => {
    const after = Either.getOrThrow(mend({ "1": { say: "A" }, "2": { say: "B" }, "3": { alone: true } }))
    expect(after.uses.map(({ utterance }) => utterance.said)).toEqual([["A"], ["B"], ["Three."]])
  })

  it("move a line without speaking it again", () => {
    const after = Either.getOrThrow(mend({ "2": { start: 4.25, end: 5.75 } }))
    expect(after.uses).toEqual(uses)
    expect(after.lines[1]?.slot).toEqual(Slot.make({ start: millis(4_250), end: millis(5_750) }))
  })

  it("change voice, provider and speed within the provider's limits", () => {
    const bo = VoiceId.make("bo")
    const open = ProviderId.make("provider_opensource")
    const after = Either.getOrThrow(
      mend({ "1": { voice: bo, speed: 1.2 }, "2": { provider: open, voice: bo, speed: 1 } })
    )
    expect(after.lines.map((line) => line.casting)).toEqual([
      Casting.make({ provider: native, voice: bo, speed: 1.2 }),
      Casting.make({ provider: open, voice: bo }),
      casting
    ])
    expect(mend({ "1": { provider: open }, "2": { speed: 9 }, "3": { start: 9 } })).toEqual(
      Either.left([
        "cue 1: provider: provider_opensource: set a voice of this provider too",
        "cue 2: speed: 9: provider_native accepts 0.5 to 2",
        "cue 3: end (7.5 s) is not after start (9 s)"
      ])
    )
  })

  it("report a line that is too short for a task of its own", () => {
    const long = new Map([...texts].map(([cue]) => [cue, `${cue} ${"word ".repeat(30)}`.trim()]))
    const all = [...long].map(([cue, text]) => lineOf(cue, text))
    const asText: UtteranceRules = { ...rules, nativeInput: "text" }
    const result = applyOverrides(
      { lines: all, uses: planUtterances(all, asText).uses },
      { "1": { say: "Short." } },
      (cue) => long.get(cue),
      asText
    )
    expect(Either.isLeft(result) && result.left[0]).toContain("provider_native needs at least 100")
  })

  it("are ignored with a notice if the script has changed since", () => {
    const after = Either.getOrThrow(
      mend({ "2": { was: "Too.", say: "Anything" }, "3.2": { say: "x" }, "9": { say: "y" } })
    )
    expect([after.lines, after.uses]).toEqual([lines, uses])
    expect(after.notices).toEqual([
      "the change to cue 2 is ignored: the cue's text has changed since",
      "the change to cue 9 is ignored: no line is spoken there",
      "the change to cue 3.2 is ignored: no line is spoken there"
    ])
  })

  it("play the line's own clip instead of its part of the shared one", () => {
    const after = Either.getOrThrow(mend({ "2": { say: "Two, and no more." } }))
    const rate = SampleRate.make(24_000)
    const segment = (at: number) =>
      Segment.make({
        from: frames(at * 24_000),
        to: frames((at + 1) * 24_000),
        loudness: Lufs.make(-20),
        peak: 0.5
      })
    const clipOf = (key: UtteranceKey, count: number) =>
      Clip.make({
        key,
        rate,
        frames: frames(count * 24_000),
        checksum: "0",
        segments: [segment(0), ...Array.from({ length: count - 1 }, (_, at) => segment(at + 1))],
        cut: count === 1 ? "whole" : "transcript"
      })
    const [group, own] = after.uses
    const clips = new Map(
      [group, own].flatMap((use) =>
        use === undefined ? [] : [[use.utterance.key, clipOf(use.utterance.key, use.lines.length)] as const]
      )
    )
    const limits = FitLimits.make({ maxSpeed: 1.3, hardMaxSpeed: 1.6, early: millis(0), late: millis(500) })
    expect(
      placeLines({ lines: after.lines, uses: after.uses, clips, limits }).map(({ lines: [line], parts }) => [
        line.cue,
        parts.map(({ utterance, segment: number }) => [utterance === own?.utterance.key, number])
      ])
    ).toEqual([
      [1, [[false, 0]]],
      [2, [[true, 0]]],
      [3, [[false, 2]]]
    ])
  })
})
