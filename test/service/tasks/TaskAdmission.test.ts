/** Tasks are accepted or rejected by the features of their provider. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import type { CreateTask } from "../../../src/contract/Task.ts"
import { charactersOf } from "../../../src/domain/speech/Utterance.ts"
import { admitTask, priceOf } from "../../../src/service/tasks/TaskAdmission.ts"
import { resolveCatalogue } from "../../../src/service/catalogue/CatalogueResolver.ts"

const offer = Either.getOrThrow(
  resolveCatalogue({ providers: { provider_lowcost: { maxCharacters: 50 } } }, () => ({
    voices: undefined,
    controls: ["rate", "volume", "pitch"]
  }))
)

const admitted = (voice: string, body: CreateTask) => admitTask(offer, voice, body, 14_400)

const codeOf = (voice: string, body: CreateTask): string =>
  Either.match(admitted(voice, body), { onLeft: (refusal) => refusal.code, onRight: () => "taken" })

const long = "a".repeat(100)
const srt = "1\n00:00:01,000 --> 00:00:02,000\nHello.\n"

describe("admit", () => {
  it("accepts what the features allow", () => {
    const order = Either.getOrThrow(
      admitted("vi-anna", {
        text: long,
        provider: "provider_native",
        export_srt: true,
        speed: 1.5
      })
    )
    expect(order).toMatchObject({
      input: "text",
      wantSrt: true,
      wantJson: false,
      speed: 1.5,
      vol: 1,
      pitch: 0,
      characters: 100,
      credits: 100
    })
    expect(order.model.wire.model_id).toBe("m1")
  })

  it("exempts SRT from the minimum length if the provider accepts SRT", () => {
    const order = Either.getOrThrow(admitted("vi-anna", { text: srt, provider: "provider_native" }))
    expect(order.input).toBe("srt")
    expect(codeOf("fast-vi", { text: srt, provider: "provider_fast" })).toBe("taken")
  })

  it("requests SRT and JSON of provider_native for with_transcript, and only SRT for export_srt", () => {
    const wanted = (flags: Partial<CreateTask>) => {
      const order = Either.getOrThrow(
        admitted("vi-anna", { text: long, provider: "provider_native", ...flags })
      )
      return [order.wantSrt, order.wantJson]
    }
    expect(wanted({})).toEqual([false, false])
    expect(wanted({ export_srt: true })).toEqual([true, false])
    expect(wanted({ with_transcript: true })).toEqual([true, true])
    expect(wanted({ with_transcript: true, export_srt: false })).toEqual([true, true])
  })

  it("ignores transcript flags that the provider does not support", () => {
    const flags = { with_transcript: true, export_srt: true }
    expect(
      Either.getOrThrow(admitted("fast-vi", { text: "hello", provider: "provider_fast", ...flags }))
    ).toMatchObject({ wantSrt: false, wantJson: false })
    expect(
      Either.getOrThrow(admitted("aria", { text: "hello", provider: "provider_expressive", ...flags }))
    ).toMatchObject({ wantSrt: true, wantJson: true, credits: 10 })
  })

  it.each([
    ["provider_unknown", "vi-anna", { text: long, provider: "provider_none" }],
    ["voice_unknown", "nobody", { text: long, provider: "provider_native" }],
    // The provider's engine has not listed its voices yet.
    ["engine_unavailable", "lc-vi", { text: "Xin chào.", provider: "provider_lowcost" }],
    ["voice_of_other_provider", "aria", { text: long, provider: "provider_native" }],
    ["model_unknown", "vi-anna", { text: long, provider: "provider_native", model_id: "m9" }],
    ["control_unsupported", "aria", { text: long, provider: "provider_expressive", speed: 1 }],
    ["control_out_of_range", "vi-anna", { text: long, provider: "provider_native", speed: 2.01 }],
    ["control_out_of_range", "vi-anna", { text: long, provider: "provider_native", pitch: Number.NaN }],
    ["text_empty", "fast-vi", { text: " \n\t", provider: "provider_fast" }],
    ["text_too_short", "vi-anna", { text: long.slice(1), provider: "provider_native" }],
    ["text_too_long", "vi-anna", { text: "a".repeat(20_001), provider: "provider_native" }],
    ["field_invalid", "fast-vi", { text: "a\u0000b", provider: "provider_fast" }],
    ["field_invalid", "fast-vi", { text: "a\ud800b", provider: "provider_fast" }],
    ["field_invalid", "fast-vi", { text: "a", provider: "provider_fast", voice_name: "a\nb" }],
    [
      "srt_malformed",
      "vi-anna",
      { text: "1\n00:00:01,000 --> 00:00:02,000\n♪\n", provider: "provider_native" }
    ],
    [
      "srt_malformed",
      "vi-anna",
      { text: "1\n05:00:01,000 --> 05:00:02,000\nlate\n", provider: "provider_native" }
    ]
  ])("refuses with %s", (code, voice, body) => {
    expect(codeOf(voice, body)).toBe(code)
  })

  const gaps = (count: number, minutes: number) =>
    Array.from({ length: count }, (_, index) => {
      const at = (index + 1) * minutes
      const [hours, rest] = [Math.floor(at / 60), at % 60].map((part) => String(part).padStart(2, "0"))
      return `${index + 1}\n${hours}:${rest}:00,000 --> ${hours}:${rest}:01,000\na\n`
    }).join("\n")

  it("refuses an SRT that is nearly all silence, and takes one with gaps of 10 minutes", () => {
    for (const [count, minutes] of [
      [1, 239],
      [2, 100],
      [5, 45]
    ] as const)
      expect(codeOf("vi-anna", { text: gaps(count, minutes), provider: "provider_native" })).toBe(
        "srt_malformed"
      )
    for (const count of [1, 2, 5, 24])
      expect(
        Either.isRight(admitted("vi-anna", { text: gaps(count, 10), provider: "provider_native" }))
      ).toBe(true)
  })

  it.each([
    ...["\u007f", "\u0085", "\u009b", "\u061c", "\u200f", "\u202e", "\u2028", "\u2066", "\udfff"],
    ...["\u00ad", "\u200b", "\ufeff", "\ufff9", "\u{e0041}"]
  ])("refuses a label with %j", (sign) => {
    expect(codeOf("fast-vi", { text: "a", provider: "provider_fast", voice_name: `a${sign}b` })).toBe(
      "field_invalid"
    )
  })

  it.prop(
    "names the field in every refusal, and never accepts a text out of bounds",
    [fc.string({ unit: "binary", maxLength: 130 })],
    ([text]) => {
      const decided = admitted("vi-anna", { text, provider: "provider_native" })
      if (Either.isLeft(decided)) expect(decided.left.field).toBe("text")
      else {
        expect(decided.right.characters).toBe(charactersOf(text))
        if (decided.right.input === "text") expect(decided.right.characters).toBeGreaterThanOrEqual(100)
      }
    }
  )
})

describe("priceOf", () => {
  it("rounds up, and treats the price as a decimal", () => {
    expect([priceOf(100, 1), priceOf(3, 0.25), priceOf(10, 0.1), priceOf(30, 0.1), priceOf(7, 0)]).toEqual([
      100, 1, 1, 3, 0
    ])
  })
})
