import { Either } from "effect"
import { describe, expect, it } from "vitest"
import type { CueOverrides } from "../../../src/domain/manifest/CueOverride.ts"
import type { SpeakerVoice } from "../../../src/domain/manifest/ReviewDecisions.ts"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { profileOf } from "../../../src/domain/speech/ProviderProfile.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { ProviderId, SpeakerName, VoiceId } from "../../../src/domain/values/Ids.ts"
import { shapeLines } from "../../../src/pipeline/plan/ShapedLines.ts"
import { linesDigest, shownApprovals } from "../../../src/pipeline/report/Approvals.ts"
import { planUtterances, type UtteranceRules } from "../../../src/script/utterances/UtterancePlan.ts"

const casting = Casting.make({
  provider: ProviderId.make("provider_native"),
  voice: VoiceId.make("anna")
})
const rules: UtteranceRules = { profileOf, unit: "cue", nativeInput: "srt", timed: true }
const said = ["One and two.", "Three.", "Four.", "Five."]
const lines = said.map((text, at) =>
  Line.make({
    cue: at + 1,
    part: 0,
    said: text,
    casting,
    speaker: SpeakerName.make(at === 1 ? "MINH" : "LAN"),
    slot: Slot.make({ start: millis(at * 2_000), end: millis(at * 2_000 + 1_500) })
  })
)
const { uses } = planUtterances(lines, rules)
const textOf = (cue: number) => said[cue - 1]

const shaped = (overrides: CueOverrides, voices: ReadonlyArray<SpeakerVoice> = []) =>
  shapeLines({ lines, uses }, overrides, voices, textOf, rules)
const shape = (...given: Parameters<typeof shaped>) => {
  const after = Either.getOrThrow(shaped(...given))
  return {
    lines: after.lines.map(({ cue, part, said, slot }) => [cue, part, said, slot?.start, slot?.end]),
    spoken: after.uses.map(({ utterance, lines: refs }) => [
      utterance.casting.voice,
      refs.filter(({ replaced }) => replaced !== true).map(({ cue, part }) => [cue, part])
    ])
  }
}

describe("the shape of a job's lines", () => {
  it("is that of the script if nothing was changed", () => {
    expect(shaped({})).toEqual(Either.right({ lines, uses }))
  })

  it("has a split cue's pieces as further lines of the cue, each with an utterance", () => {
    const { lines: after, spoken } = shape({
      "1": { was: "One and two.", say: "One", split: [{ say: "and two.", start: 0.7, end: 1.5 }] }
    })
    expect(after.slice(0, 3)).toEqual([
      [1, 0, "One and two.", 0, 1_500],
      [1, 1, "and two.", 700, 1_500],
      [2, 0, "Three.", 2_000, 3_500]
    ])
    expect(spoken.at(-1)).toEqual(["anna", [[1, 1]]])
    expect(shaped({ "1": { split: [{ say: "and two.", start: 2 }] } })).toEqual(
      Either.left(["cue 1: split: end (1.5 s) is not after start (2 s)"])
    )
  })

  it("lacks the lines whose words another line says, unless a text has changed since", () => {
    const takes = (was: string) => ({ "3": { was: "Four.", say: "Four. Five.", takes: [{ cue: 4, was }] } })
    const { lines: after, spoken } = shape(takes("Five."))
    expect(after.map(([cue]) => cue)).toEqual([1, 2, 3])
    expect(spoken).toEqual([
      [
        "anna",
        [
          [1, 0],
          [2, 0],
          [3, 0]
        ]
      ]
    ])
    expect(shape(takes("Six.")).lines.map(([cue]) => cue)).toEqual([1, 2, 3, 4])
  })

  it("moves a cue and all that follow, without speaking them again", () => {
    const after = Either.getOrThrow(shaped({ "2": { shift: 0.5 }, "4": { shift: -1 } }))
    expect(after.lines.map(({ slot }) => slot?.start)).toEqual([0, 2_500, 4_500, 5_500])
    expect(after.uses).toEqual(uses)
  })

  it("has the lines of one speaker in another voice; others keep their utterances", () => {
    const voices = [{ speaker: SpeakerName.make("MINH"), voice: VoiceId.make("bo") }]
    const { spoken } = shape({}, voices)
    expect(spoken).toEqual([
      [
        "anna",
        [
          [1, 0],
          [3, 0],
          [4, 0]
        ]
      ],
      ["bo", [[2, 0]]]
    ])
    const [kept] = Either.getOrThrow(shaped({}, voices)).uses
    expect(kept?.utterance.key).toBe(uses[0]?.utterance.key)
    expect(
      Either.getOrThrow(shaped({}, [{ speaker: SpeakerName.make("MINH"), voice: casting.voice }])).uses
    ).toEqual(uses)
  })
})

describe("an approval", () => {
  const [line] = lines
  if (line === undefined) throw new Error("no line")
  const cueOf = (one: Line) => ({
    index: 1,
    start: 0,
    end: 1.5,
    text: "One and two.",
    status: "spoken" as const,
    flags: [],
    digest: linesDigest([one])
  })
  const given = { by: "anna", at: "2026-03-02T22:00:03Z", of: linesDigest([line]) ?? "" }
  const isStale = (one: Line) =>
    shownApprovals({ cues: [cueOf(one)] }, { cues: { "1": given } }).cues["1"]?.isStale

  it("is out of date once words, voice or time have changed", () => {
    expect(isStale(line)).toBeUndefined()
    expect(isStale(Line.make({ ...line, said: "One and three." }))).toBe(true)
    expect(
      isStale(Line.make({ ...line, casting: Casting.make({ ...casting, voice: VoiceId.make("bo") }) }))
    ).toBe(true)
    expect(isStale(Line.make({ ...line, slot: Slot.make({ start: millis(10), end: millis(1_500) }) }))).toBe(
      true
    )
  })

  it("of a cue in an older report refers to its words and utterance", () => {
    const { digest: _digest, ...older } = { ...cueOf(line), said: "One and two.", utterance: "aa" }
    const { job, cues } = shownApprovals({ cues: [older] }, { job: given, cues: { "1": given } })
    expect([job?.isStale, cues["1"]?.isStale]).toEqual([true, true])
  })
})
