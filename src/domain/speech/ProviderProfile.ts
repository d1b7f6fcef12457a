/**
 * The providers of the service's interface, each as one record: its limits, formats and controls, and its voices in the
 * bundled service, which speaks with eSpeak NG and Flite. Planning and sending code consults the profile, never the
 * provider's name. What a service states about a provider replaces what is assumed here.
 */
import { Record, Schema, Struct } from "effect"
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

/**
 * One of the interface's providers: its rules, which are those of plain text unless stated, and the bundled service's
 * settings.
 */
interface BuiltInProvider extends Partial<
  Pick<ProviderProfile, "minChars" | "srtInput" | "transcript" | "controls" | "concurrency">
> {
  readonly name: string
  readonly description: string
  /** Its settings in the bundled service, besides its rules, as service.yaml has them. */
  readonly bundled: Readonly<Record<string, unknown>>
}

/** Languages of the multilingual voices. The first is used for undetected languages. */
const tongues = "en vi es fr de it pt nl pl cs sv tr id ru uk el ar he hi bn ta th ja ko zh".split(" ")

/** eSpeak NG's voices for the languages whose voice has another name. */
const espeakNames: Readonly<Record<string, string>> = { en: "en-us", pt: "pt-br", zh: "cmn" }

const polyglot = (variant: string): Readonly<Record<string, string>> =>
  Object.fromEntries(tongues.map((language) => [language, `${espeakNames[language] ?? language}+${variant}`]))

/** A voice with a name of its own. */
const named = (
  id: string,
  name: string,
  gender: "female" | "male",
  voice: string | Readonly<Record<string, string>>,
  description: string
) => ({ id, name, gender, voice, description })

/** A model, with its price in credits per character. */
const model = (
  id: string,
  name: string,
  description: string,
  creditsPerCharacter: number,
  others: { readonly languages?: ReadonlyArray<string>; readonly rate?: number; readonly pitch?: number } = {}
) => ({ id, name, description, creditsPerCharacter, ...others })

/** The providers by their ids, in listing order. */
export const builtInProviders: Readonly<Record<string, BuiltInProvider>> = {
  provider_expressive: {
    name: "Expressive",
    description:
      "Multilingual voices that follow the text's language, calm and lively models, SRT and JSON transcripts.",
    transcript: "with_transcript",
    bundled: {
      models: [
        model(
          "expressive-multilingual",
          "Expressive Multilingual",
          "The unmodified voices, in 25 languages.",
          2
        ),
        model(
          "expressive-calm",
          "Expressive Calm",
          "Slower and a little lower: narration, meditation, teaching.",
          2,
          { rate: 0.88, pitch: -1 }
        ),
        model(
          "expressive-lively",
          "Expressive Lively",
          "Faster and a little higher: trailers, children's stories, games.",
          2,
          { rate: 1.12, pitch: 1.5 }
        )
      ],
      voices: [
        named("aria", "Aria", "female", polyglot("f2"), "A clear, warm voice for any language."),
        { ...named("luna", "Luna", "female", polyglot("f3"), "A bright, young voice."), pitch: 1.5 },
        { ...named("stella", "Stella", "female", polyglot("f4"), "A deep, composed voice."), rate: 0.95 },
        named("marcus", "Marcus", "male", polyglot("m3"), "A steady voice for stories and explanations."),
        { ...named("theo", "Theo", "male", polyglot("m7"), "A light, quick voice."), rate: 1.05 },
        {
          ...named("magnus", "Magnus", "male", polyglot("m1"), "A low, grave voice."),
          pitch: -2.5,
          rate: 0.92
        }
      ]
    }
  },
  provider_fast: {
    name: "Fast",
    description: "Speech within milliseconds, at an even or brisk pace, for announcements and drafts.",
    concurrency: 8,
    bundled: {
      concurrency: 4,
      models: [
        model("fast-1", "Fast 1", "An even pace.", 0.5),
        model("fast-1-turbo", "Fast 1 Turbo", "A brisk pace, a quarter faster.", 0.5, { rate: 1.25 })
      ],
      voices: [
        { id: "fast-en-us", name: "Fast English (US)", voice: "en-us" },
        { id: "fast-en-gb", name: "Fast English (UK)", voice: "en" },
        { id: "fast-vi", name: "Fast Vietnamese", voice: "vi" },
        { id: "fast-es", name: "Fast Spanish", voice: "es" },
        { id: "fast-fr", name: "Fast French", voice: "fr" },
        { id: "fast-de", name: "Fast German", voice: "de" },
        { id: "fast-it", name: "Fast Italian", voice: "it" },
        { id: "fast-pt-br", name: "Fast Portuguese (Brazil)", voice: "pt-br" },
        { id: "fast-ru", name: "Fast Russian", voice: "ru" },
        { id: "fast-id", name: "Fast Indonesian", voice: "id" },
        { id: "fast-hi", name: "Fast Hindi", voice: "hi" },
        { id: "fast-ja", name: "Fast Japanese", voice: "ja" },
        { id: "fast-ko", name: "Fast Korean", voice: "ko" },
        { id: "fast-zh", name: "Fast Mandarin", voice: "cmn" }
      ]
    }
  },
  provider_native: {
    name: "Native",
    description:
      "The service's own voices, focused on Vietnamese. Reads numbers, dates and foreign words aloud correctly. SRT input and output; speed, volume and pitch controls.",
    minChars: 100,
    srtInput: true,
    transcript: "export_srt",
    controls: {
      speed: { min: 0.5, max: 2 },
      vol: { min: 0.1, max: 2 },
      pitch: { min: -12, max: 12 }
    },
    bundled: {
      maxCharacters: 20_000,
      models: [
        model("m1", "Native M1", "Everyday speech.", 1, { languages: ["vi", "en"] }),
        model("m1-narrator", "Native M1 Narrator", "A measured pace for books and documentaries.", 1, {
          languages: ["vi", "en"],
          rate: 0.9
        })
      ],
      voices: [
        named("vi-anna", "Anna (Northern Vietnamese)", "female", "vi+f2", "A clear Northern voice."),
        named("vi-bo", "Bo (Northern Vietnamese)", "male", "vi+m3", "A steady Northern voice."),
        named("vi-hue", "Huệ (Central Vietnamese)", "female", "vi-vn-x-central+f3", "A soft Central voice."),
        named("vi-kien", "Kiên (Central Vietnamese)", "male", "vi-vn-x-central+m1", "A low Central voice."),
        named("vi-mai", "Mai (Southern Vietnamese)", "female", "vi-vn-x-south+f4", "A warm Southern voice."),
        named("vi-nam", "Nam (Southern Vietnamese)", "male", "vi-vn-x-south+m7", "A light Southern voice."),
        named("en-anna", "Anna (American English)", "female", "en-us+f2", "A clear American voice."),
        named("en-bo", "Bo (American English)", "male", "en-us+m3", "A steady American voice.")
      ]
    }
  },
  provider_lowcost: {
    name: "Low cost",
    description: "More than a hundred languages, one plain voice each, at 0.25 credits per character.",
    bundled: {
      models: [model("lowcost-1", "Low Cost 1", "Every language of eSpeak NG.", 0.25)],
      voices: "all",
      voicePrefix: "lc-"
    }
  },
  provider_opensource: {
    name: "Open source",
    description: "The English voices of Flite, a free speech engine from the Festival family.",
    bundled: {
      engine: "flite",
      models: [
        model("flite-1", "Flite", "Flite's default pace.", 0.25),
        model("flite-1-slow", "Flite slow", "For dictation and learners.", 0.25, { rate: 0.8 })
      ],
      voices: "all",
      voicePrefix: "os-"
    }
  }
}

/** The ids of the interface's providers. */
export const knownProviders = Object.keys(builtInProviders)

const plain = ProviderProfile.make({
  minChars: 0,
  maxChars: 2_000,
  srtInput: false,
  transcript: "none",
  controls: {},
  concurrency: 4
})

const profiles = Record.map(builtInProviders, ({ name: _, description: _2, bundled: _3, ...rules }) =>
  ProviderProfile.make({ ...plain, ...rules })
)

/** Tells a rule's value for each provider that differs, and for all others: `100 for provider_native, 0 for others`. */
export const byProvider = (valueOf: (profile: ProviderProfile) => string | number | boolean): string => {
  const usual = valueOf(plain)
  const others = Object.entries(profiles).filter(([, profile]) => valueOf(profile) !== usual)
  const told = others.map(([provider, profile]) => `${valueOf(profile)} for ${provider}, `)
  return `${told.join("")}${usual}${others.length === 0 ? "" : " for others"}`
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
  const usual = profiles[provider] ?? plain
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
