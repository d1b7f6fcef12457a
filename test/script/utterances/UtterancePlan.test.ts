import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { ProviderId, SpeakerName, VoiceId } from "../../../src/domain/values/Ids.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { ProviderProfile } from "../../../src/domain/speech/ProviderProfile.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { charactersOf } from "../../../src/domain/speech/Utterance.ts"
import { readScript } from "../../../src/script/ScriptFile.ts"
import {
  planUtterances,
  type UtterancePlan,
  type UtteranceRules
} from "../../../src/script/utterances/UtterancePlan.ts"

const profile = (minChars: number, maxChars: number, srtInput: boolean): ProviderProfile =>
  ProviderProfile.make({ minChars, maxChars, srtInput, transcript: "none", controls: {}, concurrency: 4 })

const rules = (of: ProviderProfile, more: Partial<UtteranceRules> = {}): UtteranceRules => ({
  profileOf: () => of,
  unit: "cue",
  nativeInput: "srt",
  timed: true,
  ...more
})

const line = (i: number, said: string, voice = "a", start = i * 2000): Line =>
  Line.make({
    cue: i + 1,
    part: 0,
    speaker: SpeakerName.make(voice),
    said,
    slot: Slot.make({ start: millis(start), end: millis(start + 1900) }),
    casting: Casting.make({ provider: ProviderId.make("p"), voice: VoiceId.make(voice) })
  })

const lines = (texts: ReadonlyArray<string>): ReadonlyArray<Line> => texts.map((text, i) => line(i, text))

const sent = (plan: UtterancePlan) => plan.uses.map(({ utterance }) => utterance.text)
const parts = (plan: UtterancePlan) =>
  plan.uses.map(({ utterance, lines: refs }) =>
    refs.map((ref, i) => [ref.piece === undefined ? ref.cue : `${ref.cue}/${ref.piece}`, utterance.said[i]])
  )

const words = (text: string): string => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join("")

/** The text of each line over all its utterances, pieces in order. */
const heard = (plan: UtterancePlan): ReadonlyMap<string, string> => {
  const pieces = new Map<string, Array<{ piece: number; said: string }>>()
  for (const { utterance, lines: refs } of plan.uses)
    refs.forEach((ref, i) => {
      const key = `${ref.cue}.${ref.part}`
      pieces.set(key, [...(pieces.get(key) ?? []), { piece: ref.piece ?? 0, said: utterance.said[i] ?? "" }])
    })
  return new Map(
    Array.from(pieces, ([key, found]) => [
      key,
      found
        .sort((a, b) => a.piece - b.piece)
        .map(({ said }) => words(said))
        .join("")
    ])
  )
}

const anyWord = fc.constantFrom(
  "the",
  "river",
  "đêm",
  "42",
  "it's",
  "вода",
  "1,000.5",
  "now",
  "Ferry",
  "今天天气很好",
  "ฝนตกหนักมาก"
)
const anyText = fc
  .array(fc.tuple(anyWord, fc.constantFrom(" ", " ", " ", ", ", ". ", "? ")), { minLength: 1, maxLength: 40 })
  .map((tokens) =>
    tokens
      .map(([word, mark]) => word + mark)
      .join("")
      .trim()
  )
const anyLines = fc
  .array(fc.tuple(anyText, fc.constantFrom("a", "a", "b")), { minLength: 1, maxLength: 30 })
  .map((all) => all.map(([text, voice], i) => line(i, text, voice)))
const anyRules = fc
  .tuple(
    fc.constantFrom([0, 300], [0, 90], [100, 2000], [100, 260], [100, 150]),
    fc.boolean(),
    fc.constantFrom<"cue" | "sentence">("cue", "sentence"),
    fc.constantFrom("srt" as const, "text" as const, undefined),
    fc.boolean()
  )
  .map(([[min = 0, max = 300], srt, unit, nativeInput, timed]) =>
    rules(profile(min, max, srt), { unit, nativeInput, timed })
  )

describe("planUtterances", () => {
  it.prop("neither loses nor repeats a word, whatever the rules", [anyLines, anyRules], ([all, any]) => {
    const plan = planUtterances(all, any)
    const refused = new Set(
      plan.violations
        .flatMap((violation) => ("lines" in violation ? violation.lines : [violation.line]))
        .map((ref) => ref.cue)
    )
    const said = heard(plan)
    for (const each of all) {
      const found = said.get(`${each.cue}.${each.part}`)
      if (refused.has(each.cue)) continue
      expect(found).toEqual(words(each.said))
    }
    for (const key of said.keys()) expect(all.some((each) => `${each.cue}.${each.part}` === key)).toBe(true)
  })

  it.prop("keeps every provider's limits, with one voice per task", [anyLines, anyRules], ([all, any]) => {
    for (const { utterance, lines: refs } of planUtterances(all, any).uses) {
      const limits = any.profileOf(utterance.casting.provider)
      expect(utterance.characters).toBe(charactersOf(utterance.text))
      expect(utterance.characters).toBeLessThanOrEqual(limits.maxChars)
      if (utterance.input === "text") expect(utterance.characters).toBeGreaterThanOrEqual(limits.minChars)
      else expect(limits.srtInput && any.timed && any.nativeInput !== "text").toBe(true)
      expect(utterance.said.length).toBe(refs.length)
      for (const ref of refs)
        expect(all.find((each) => each.cue === ref.cue)?.casting.voice).toBe(utterance.casting.voice)
    }
  })

  it.prop(
    "gives the same words by the same voice the same key, at any time",
    [anyLines, anyRules, fc.nat(9e6)],
    ([all, any, shift]) => {
      const later = all.map((each, i) => line(i, each.said, each.casting.voice, i * 2000 + shift))
      expect(planUtterances(later, any).uses.map((use) => use.utterance.key)).toEqual(
        planUtterances(all, any).uses.map((use) => use.utterance.key)
      )
    }
  )

  it.prop(
    "cuts a voice's lines by other rules only if none of them was sent",
    [anyLines, anyRules, anyRules],
    ([all, before, { profileOf }]) => {
      const { uses, violations } = planUtterances(all, before)
      const keys = new Set(uses.map(({ utterance }) => utterance.key))
      const profilesOf = (provider: ProviderId) => [before.profileOf(provider)]
      const now = { ...before, profileOf }
      const kept = planUtterances(all, { ...now, cuts: { profilesOf, isSent: (key) => keys.has(key) } })
      if (violations.length === 0)
        expect(kept.uses.every(({ utterance: { key } }) => keys.has(key))).toBe(true)
      const fresh = planUtterances(all, { ...now, cuts: { profilesOf, isSent: () => false } })
      expect(fresh).toEqual(planUtterances(all, now))
    }
  )

  it("sends each line as its own task by default", () => {
    expect(parts(planUtterances(lines(["One.", "Two."]), rules(profile(0, 500, false))))).toEqual([
      [[1, "One."]],
      [[2, "Two."]]
    ])
  })

  it("sends SRT with times that depend on the words alone", () => {
    const plan = planUtterances(
      lines(["Good evening.", "Is anybody there?"]),
      rules(profile(100, 2000, true))
    )
    const text = sent(plan).join("\n")
    expect(plan.uses.every(({ utterance }) => utterance.input === "srt")).toBe(true)
    const read = Either.getOrThrow(readScript(new TextEncoder().encode(text), "sent.srt"))
    expect(read._tag === "Subtitle" ? read.cues.map((cue) => cue.text).sort() : []).toEqual([
      "Good evening.",
      "Is anybody there?"
    ])
    expect(text).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d00\nGood evening\.\n/u)
  })

  it("sends subtitles in the cheaper form that keeps their times, unless the other one was sent before", () => {
    const all = lines(Array.from({ length: 8 }, (_, i) => `Line number ${i} has forty characters or so.`))
    const open = { nativeInput: undefined }
    const inputs = (of: ProviderProfile, more: Partial<UtteranceRules>, some = all) => [
      ...new Set(planUtterances(some, rules(of, more)).uses.map(({ utterance }) => utterance.input))
    ]
    const native = { ...profile(100, 2000, true), transcript: "export_srt" as const }
    expect(inputs(native, open)).toEqual(["text"])
    expect(inputs(native, { nativeInput: "srt" })).toEqual(["srt"])
    // Too little for a text.
    expect(inputs(native, open, lines(["Too short."]))).toEqual(["srt"])
    // Without times, several lines in one clip can only be cut at its pauses.
    expect(inputs(profile(100, 2000, true), open)).toEqual(["srt"])
    expect(inputs(profile(100, 2000, true), { ...open, aligns: true })).toEqual(["text"])
    const before = planUtterances(all, rules(native, { nativeInput: "srt" }))
    const [paid] = before.uses
    const cuts = { profilesOf: () => [], isSent: (key: unknown) => key === paid?.utterance.key }
    expect(planUtterances(all, rules(native, { ...open, cuts }))).toEqual(before)
  })

  it("never sends text below the minimum, and says what to do", () => {
    const plan = planUtterances(
      lines(["Too short."]),
      rules(profile(100, 2000, true), { nativeInput: "text" })
    )
    expect(plan.uses).toEqual([])
    expect(plan.violations.map((violation) => violation.message)).toEqual([
      "a has 10 characters in 1 line from cue 1, but p needs at least 100; set nativeInput: srt, use another provider, or give these lines to a voice that speaks more of the script"
    ])
  })

  it("merges lines of one voice up to the minimum, across lines of other voices", () => {
    const all = Array.from({ length: 12 }, (_, i) =>
      line(i, `Line number ${i} has forty characters or so.`, i % 2 === 0 ? "a" : "b")
    )
    const plan = planUtterances(all, rules(profile(100, 2000, false)))
    expect(plan.violations).toEqual([])
    for (const { utterance } of plan.uses) expect(utterance.said.length).toBeGreaterThanOrEqual(3)
    expect(heard(plan).size).toBe(12)
  })

  it("splits a line between two tasks if nothing else fits", () => {
    const plan = planUtterances(
      lines(["A".repeat(20), `${"word ".repeat(28)}end.`, "B".repeat(10)]),
      rules(profile(80, 150, false))
    )
    expect(plan.violations).toEqual([])
    expect(
      plan.uses
        .flatMap((use) => use.lines)
        .filter((ref) => ref.piece !== undefined)
        .map((ref) => [ref.cue, ref.piece])
    ).toEqual([
      [2, 0],
      [2, 1]
    ])
  })

  it("numbers the pieces of a line that is too long, and reports a word that is too long", () => {
    const long = planUtterances(
      lines(["One two three, four five six. Seven eight nine ten."]),
      rules(profile(0, 30, false))
    )
    expect(parts(long)).toEqual([
      [["1/0", "One two three, four five six."]],
      [["1/1", "Seven eight nine ten."]]
    ])
    const word = planUtterances(lines([`See ${"x".repeat(80)}`]), rules(profile(0, 30, false)))
    expect(word.violations.map((violation) => violation.message)).toEqual([
      `cue 1: "${"x".repeat(60)}" cannot be split, and p accepts at most 30 characters; shorten it or replace it with a lexicon entry`
    ])
  })

  it("sends a sentence over several cues as one task, one part per cue", () => {
    const texts = [
      "I think that",
      "we should go now.",
      "Why?",
      "Because the ferry",
      "leaves at ten,",
      "and it is late."
    ]
    const plan = planUtterances(lines(texts), rules(profile(0, 500, false), { unit: "sentence" }))
    expect(parts(plan)).toEqual([
      [
        [1, "I think that"],
        [2, "we should go now."]
      ],
      [[3, "Why?"]],
      [
        [4, "Because the ferry"],
        [5, "leaves at ten,"],
        [6, "and it is late."]
      ]
    ])
    expect(sent(plan)[2]).toBe("Because the ferry leaves at ten, and it is late.")
  })

  it("ends a sentence's task if the speaker changes or pauses", () => {
    const apart = [
      line(0, "I think that"),
      line(1, "you think", "b"),
      line(2, "we agree"),
      line(3, "at last.", "a", 60_000)
    ]
    expect(parts(planUtterances(apart, rules(profile(0, 500, false), { unit: "sentence" })))).toEqual([
      [[1, "I think that"]],
      [[2, "you think"]],
      [[3, "we agree"]],
      [[4, "at last."]]
    ])
  })

  it("speaks again only the lines that are merged with an edited one", () => {
    const texts = Array.from({ length: 400 }, (_, i) => `This is what is said in cue number ${i * 7919}.`)
    for (const any of [
      rules(profile(0, 2000, true)),
      rules(profile(100, 2000, true), { nativeInput: "text" }),
      rules(profile(0, 500, false))
    ]) {
      const before = new Set(planUtterances(lines(texts), any).uses.map((use) => use.utterance.key))
      for (const at of [0, 57, 199, 399]) {
        const edited = texts.map((text, i) => (i === at ? `${text} Really.` : text))
        const fresh = planUtterances(lines(edited), any).uses.filter((use) => !before.has(use.utterance.key))
        expect(fresh.length).toBeGreaterThan(0)
        expect(fresh.flatMap((use) => use.lines).length).toBeLessThanOrEqual(30)
        expect(fresh.length).toBeLessThanOrEqual(3)
      }
    }
  })
})
