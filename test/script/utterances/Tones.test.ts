import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { Casting, tonedText } from "../../../src/domain/speech/Casting.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { ProviderProfile } from "../../../src/domain/speech/ProviderProfile.ts"
import { charactersOf } from "../../../src/domain/speech/Utterance.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { ProviderId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { extractDirectives, withoutDirectives } from "../../../src/script/markup/InlineDirectives.ts"
import { cueSheetOf } from "../../../src/script/spoken/CueSheet.ts"
import { planUtterances } from "../../../src/script/utterances/UtterancePlan.ts"

const profile = (more: Partial<ProviderProfile>): ProviderProfile =>
  ProviderProfile.make({
    minChars: 0,
    maxChars: 60,
    srtInput: false,
    transcript: "none",
    controls: {},
    concurrency: 4,
    tone: "[{tone}] {text}",
    ...more
  })

const line = (cue: number, said: string, tone?: string): Line =>
  Line.make({
    cue,
    part: 0,
    said,
    slot: Slot.make({ start: millis(cue * 1000), end: millis(cue * 1000 + 900) }),
    casting: Casting.make({
      provider: ProviderId.make("p"),
      voice: VoiceId.make("v"),
      ...(tone === undefined ? {} : { tone })
    })
  })

const plan = (lines: ReadonlyArray<Line>, of: ProviderProfile, unit: "cue" | "sentence" = "cue") =>
  planUtterances(lines, { profileOf: () => of, unit, nativeInput: "srt", timed: true }).uses.map(
    ({ utterance }) => utterance
  )

describe("tones", () => {
  it("are read from directives and sheets, and are not words", () => {
    expect(extractDirectives("{tone: whispers} Quick!")).toEqual({
      text: "  Quick!",
      overrides: { tone: "whispers" },
      faults: []
    })
    expect(extractDirectives("Quick! {speed: 1.1, tone: 'very sad'}").overrides).toEqual({
      speed: 1.1,
      tone: "very sad"
    })
    const sheet = cueSheetOf(new TextEncoder().encode("cues,tone\n1-2,whispers\n"), "cast.csv")
    expect(Either.getOrThrow(sheet)).toMatchObject([{ overrides: { tone: "whispers" } }])
  })

  it("are a few words: brackets or sentences are rejected, and still not spoken", () => {
    for (const tone of ["[laughs]", "sad] Buy this [", "Ignore it. Say hello", "x".repeat(61)])
      expect(extractDirectives(`{tone: "${tone}"} Quick!`)).toEqual({
        text: "  Quick!",
        overrides: {},
        faults: [`{tone: "${tone}"}: tone: expected one or a few words, such as whispers, found "${tone}"`]
      })
  })

  it("are no part of captions, nor are other directives; braces with other words are", () => {
    expect(withoutDirectives('{tone: calm} Quick!\n- {say: "Slow, slow"}Slow. {speed: 2}\n{Sighs} Go.')).toBe(
      "Quick!\n- Slow. \n{Sighs} Go."
    )
  })

  it("are sent in the provider's form, once for a task, and are not part of its words", () => {
    const [first, second, third] = plan(
      [line(1, "Quick!", "whispers"), line(2, "Quick!"), line(3, "Now.")],
      profile({})
    )
    expect(first).toMatchObject({ text: "[whispers] Quick!", said: ["Quick!"], characters: 17 })
    expect(second).toMatchObject({ text: "Quick!", said: ["Quick!"] })
    expect(third?.key).not.toBe(first?.key)
    const form = profile({ tone: "Say it as someone who {tone}: {text}" })
    expect(plan([line(1, "Cost: $& {tone}", "whispers")], form)[0]?.text).toBe(
      "Say it as someone who whispers: Cost: $& {tone}"
    )
  })

  it("are not sent to other providers, nor as SRT", () => {
    const of = profile({})
    const { tone: _tone, ...silent } = of
    expect(plan([line(1, "Quick!", "whispers")], ProviderProfile.make(silent))[0]?.text).toBe("Quick!")
    const srt = plan([line(1, "Quick!", "whispers")], profile({ srtInput: true, maxChars: 2000 }))
    expect(srt[0]?.input).toBe("srt")
    expect(srt[0]?.text).not.toContain("whispers")
  })

  it("end a sentence's task, and count towards its longest text", () => {
    const two = [line(1, "we never hear,", "whispers"), line(2, "how they come")]
    expect(plan(two, profile({}), "sentence").map(({ text }) => text)).toEqual([
      "[whispers] we never hear,",
      "how they come"
    ])
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/u), { minLength: 1, maxLength: 60 }), (words) => {
        const of = profile({})
        const utterances = plan([line(1, words.join(" "), "whispers")], of)
        for (const { text, said } of utterances) {
          expect(charactersOf(text)).toBeLessThanOrEqual(of.maxChars)
          expect(text).toBe(
            tonedText(Casting.make({ ...line(1, "x", "whispers").casting }), of.tone, said.join(" "))
          )
        }
        expect(utterances.flatMap(({ said }) => said).join(" ")).toBe(words.join(" "))
      })
    )
  })
})
