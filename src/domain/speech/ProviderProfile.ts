/**
 * What each provider takes and gives, as data: the code that plans and sends asks a profile, never a provider's name.
 */
import { Schema } from "effect"
import type { ProviderId } from "../values/Ids.ts"

/** A control's allowed range, both ends included. */
export class ControlRange extends Schema.Class<ControlRange>("ControlRange")({
  min: Schema.Number,
  max: Schema.Number
}) {}

/** The rules and limits of one provider. Characters are Unicode code points of the text as sent. */
export class ProviderProfile extends Schema.Class<ProviderProfile>("ProviderProfile")({
  /** The least characters of a normal text; SRT text is exempt. */
  minChars: Schema.NonNegativeInt,
  /** The most characters of one task; a careful default, since the interface names none. */
  maxChars: Schema.Positive.pipe(Schema.int()),
  /** Whether the text may be an SRT, spoken on its own timeline. */
  srtInput: Schema.Boolean,
  /** Which flag of a task asks for a transcript, if any. */
  transcript: Schema.Literal("none", "with_transcript", "export_srt"),
  /** The controls it takes, with their ranges; a control that is absent here is refused. */
  controls: Schema.Struct({
    speed: Schema.optional(ControlRange),
    vol: Schema.optional(ControlRange),
    pitch: Schema.optional(ControlRange)
  }),
  /** Tasks in flight at once. */
  concurrency: Schema.Positive.pipe(Schema.int()),
  /** Creates started in any one second; absent means no limit of ours. */
  perSecond: Schema.optional(Schema.Positive),
  /** Credits for one character, where known. */
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

/** The profile of a provider: one of the five by its character, any other with the careful default. */
export const profileOf = (provider: ProviderId): ProviderProfile => named[provider] ?? plain
