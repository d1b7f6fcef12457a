/**
 * Provider profiles: limits, formats and controls of each provider, as data. Planning and sending code consults the
 * profile, never the provider's name. What a service states about a provider replaces what is assumed here.
 */
import { Schema, Struct } from "effect"
import type { ProviderId } from "../values/Ids.ts"
import { skipValidation } from "../values/SkipValidation.ts"

/** A control's allowed range, inclusive. */
export const ControlRange = Schema.Struct({ min: Schema.Number, max: Schema.Number })
export type ControlRange = typeof ControlRange.Type

/** The limits of one provider. Characters are Unicode code points of the text as sent. */
export class ProviderProfile extends Schema.Class<ProviderProfile>("ProviderProfile")({
  /** Minimum characters of plain text. SRT text is exempt. */
  minChars: Schema.NonNegativeInt,
  /** Maximum characters per task. A conservative default: the interface documents none. */
  maxChars: Schema.Positive.pipe(Schema.int()),
  /** Whether the text may be an SRT, spoken on its own timeline. */
  srtInput: Schema.Boolean,
  /** The request flag that asks for a transcript, if the provider has one. */
  transcript: Schema.Literal("none", "with_transcript", "export_srt"),
  /** Supported controls and their ranges. A control absent here is rejected. */
  controls: Schema.Struct({
    speed: Schema.optional(ControlRange),
    vol: Schema.optional(ControlRange),
    pitch: Schema.optional(ControlRange)
  }),
  /** How a text is sent with a tone: a text with `{tone}` and `{text}`. Absent: tones are not sent. */
  tone: Schema.optional(Schema.String),
  /** Maximum tasks in flight. */
  concurrency: Schema.Positive.pipe(Schema.int()),
  /** Maximum creates started within one second. Absent: no client-side limit. */
  perSecond: Schema.optional(Schema.Positive),
  /** Credits per character, if known. */
  creditsPerCharacter: Schema.optional(Schema.NonNegative)
}) {}

const plain = ProviderProfile.make({
  minChars: 0,
  maxChars: 2_000,
  srtInput: false,
  transcript: "none",
  controls: {},
  concurrency: 4
})

const named: Readonly<Record<string, ProviderProfile>> = {
  provider_expressive: ProviderProfile.make({ ...plain, transcript: "with_transcript" }),
  provider_fast: ProviderProfile.make({ ...plain, concurrency: 8 }),
  provider_native: ProviderProfile.make({
    ...plain,
    minChars: 100,
    srtInput: true,
    transcript: "export_srt",
    controls: {
      speed: ControlRange.make({ min: 0.5, max: 2 }),
      vol: ControlRange.make({ min: 0.1, max: 2 }),
      pitch: ControlRange.make({ min: -12, max: 12 })
    }
  }),
  provider_lowcost: plain,
  provider_opensource: plain
}

/** What a service states about a provider; what it does not state is absent. */
export const StatedRules = Schema.partialWith(
  Schema.Struct({
    ...Struct.pick(ProviderProfile.fields, "minChars", "maxChars", "srtInput", "transcript", "controls"),
    /** Credits per character by model; `""` is the default model, `*` any other. */
    prices: Schema.Record({ key: Schema.String, value: Schema.NonNegative })
  }),
  { exact: true }
)
export type StatedRules = typeof StatedRules.Type

/**
 * Returns the provider's profile; unknown providers get the conservative default. A limit that is assumed gives way to
 * one that is stated.
 */
export const profileOf = (provider: ProviderId, rules?: StatedRules): ProviderProfile => {
  const usual = named[provider] ?? plain
  if (rules === undefined) return usual
  const { prices: _, ...stated } = rules
  const { minChars = 0, maxChars = Infinity } = stated
  const [least, most] = [Math.min(usual.minChars, maxChars), Math.max(usual.maxChars, minChars)]
  return ProviderProfile.make({ ...usual, minChars: least, maxChars: most, ...stated }, skipValidation)
}

/** Returns whether a provider rejects a text as too short. An SRT has no minimum. */
export const isTooShort = (
  input: "text" | "srt",
  characters: number,
  { minChars }: Pick<ProviderProfile, "minChars">
): boolean => input === "text" && characters < minChars
