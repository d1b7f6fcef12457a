/** Settings of the five built-in providers. They work offline, with the bundled engines eSpeak NG and Flite. */
import { Schema } from "effect"
import { ProviderSettings } from "./ServiceConfig.ts"

/** Defaults of every provider. */
export const plainProvider = {
  enabled: true,
  engine: "espeak",
  concurrency: 2,
  minCharacters: 0,
  maxCharacters: 5_000,
  srtInput: false,
  transcript: "none",
  controls: {},
  voices: "all"
} as const

/** Languages of the multilingual voices and eSpeak NG's voice for each. The first is used for undetected languages. */
const tongues = {
  en: "en-us",
  vi: "vi",
  es: "es",
  fr: "fr",
  de: "de",
  it: "it",
  pt: "pt-br",
  nl: "nl",
  pl: "pl",
  cs: "cs",
  sv: "sv",
  tr: "tr",
  id: "id",
  ru: "ru",
  uk: "uk",
  el: "el",
  ar: "ar",
  he: "he",
  hi: "hi",
  bn: "bn",
  ta: "ta",
  th: "th",
  ja: "ja",
  ko: "ko",
  zh: "cmn"
} as const

const polyglot = (variant: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tongues).map(([language, voice]) => [language, `${voice}+${variant}`]))

const native = (id: string, name: string, gender: "female" | "male", voice: string, description: string) => ({
  id,
  name,
  gender,
  voice,
  description
})

/** Provider ids with their settings, in listing order. */
export const defaultProviders: Readonly<Record<string, ProviderSettings>> = Schema.decodeUnknownSync(
  Schema.Record({ key: Schema.String, value: ProviderSettings })
)({
  provider_expressive: {
    name: "Expressive",
    description:
      "Multilingual voices that follow the text's language, calm and lively models, SRT and JSON transcripts.",
    transcript: "with_transcript",
    models: [
      {
        id: "expressive-multilingual",
        name: "Expressive Multilingual",
        description: "The unmodified voices, in 25 languages.",
        creditsPerCharacter: 2
      },
      {
        id: "expressive-calm",
        name: "Expressive Calm",
        description: "Slower and a little lower: narration, meditation, teaching.",
        creditsPerCharacter: 2,
        rate: 0.88,
        pitch: -1
      },
      {
        id: "expressive-lively",
        name: "Expressive Lively",
        description: "Faster and a little higher: trailers, children's stories, games.",
        creditsPerCharacter: 2,
        rate: 1.12,
        pitch: 1.5
      }
    ],
    voices: [
      {
        id: "aria",
        name: "Aria",
        gender: "female",
        description: "A clear, warm voice for any language.",
        voice: polyglot("f2")
      },
      {
        id: "luna",
        name: "Luna",
        gender: "female",
        description: "A bright, young voice.",
        voice: polyglot("f3"),
        pitch: 1.5
      },
      {
        id: "stella",
        name: "Stella",
        gender: "female",
        description: "A deep, composed voice.",
        voice: polyglot("f4"),
        rate: 0.95
      },
      {
        id: "marcus",
        name: "Marcus",
        gender: "male",
        description: "A steady voice for stories and explanations.",
        voice: polyglot("m3")
      },
      {
        id: "theo",
        name: "Theo",
        gender: "male",
        description: "A light, quick voice.",
        voice: polyglot("m7"),
        rate: 1.05
      },
      {
        id: "magnus",
        name: "Magnus",
        gender: "male",
        description: "A low, grave voice.",
        voice: polyglot("m1"),
        pitch: -2.5,
        rate: 0.92
      }
    ]
  },
  provider_fast: {
    name: "Fast",
    description: "Speech within milliseconds, at an even or brisk pace, for announcements and drafts.",
    concurrency: 4,
    models: [
      { id: "fast-1", name: "Fast 1", description: "An even pace.", creditsPerCharacter: 0.5 },
      {
        id: "fast-1-turbo",
        name: "Fast 1 Turbo",
        description: "A brisk pace, a quarter faster.",
        creditsPerCharacter: 0.5,
        rate: 1.25
      }
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
  },
  provider_native: {
    name: "Native",
    description:
      "The service's own voices, focused on Vietnamese. Reads numbers, dates and foreign words aloud correctly. SRT input and output; speed, volume and pitch controls.",
    minCharacters: 100,
    maxCharacters: 20_000,
    srtInput: true,
    transcript: "export_srt",
    controls: {
      speed: { min: 0.5, max: 2, default: 1 },
      vol: { min: 0.1, max: 2, default: 1 },
      pitch: { min: -12, max: 12, default: 0 }
    },
    models: [
      {
        id: "m1",
        name: "Native M1",
        description: "Everyday speech.",
        languages: ["vi", "en"],
        creditsPerCharacter: 1
      },
      {
        id: "m1-narrator",
        name: "Native M1 Narrator",
        description: "A measured pace for books and documentaries.",
        languages: ["vi", "en"],
        creditsPerCharacter: 1,
        rate: 0.9
      }
    ],
    voices: [
      native("vi-anna", "Anna (Northern Vietnamese)", "female", "vi+f2", "A clear Northern voice."),
      native("vi-bo", "Bo (Northern Vietnamese)", "male", "vi+m3", "A steady Northern voice."),
      native("vi-hue", "Huệ (Central Vietnamese)", "female", "vi-vn-x-central+f3", "A soft Central voice."),
      native("vi-kien", "Kiên (Central Vietnamese)", "male", "vi-vn-x-central+m1", "A low Central voice."),
      native("vi-mai", "Mai (Southern Vietnamese)", "female", "vi-vn-x-south+f4", "A warm Southern voice."),
      native("vi-nam", "Nam (Southern Vietnamese)", "male", "vi-vn-x-south+m7", "A light Southern voice."),
      native("en-anna", "Anna (American English)", "female", "en-us+f2", "A clear American voice."),
      native("en-bo", "Bo (American English)", "male", "en-us+m3", "A steady American voice.")
    ]
  },
  provider_lowcost: {
    name: "Low cost",
    description: "More than a hundred languages, one plain voice each, at 0.25 credits per character.",
    models: [
      {
        id: "lowcost-1",
        name: "Low Cost 1",
        description: "Every language of eSpeak NG.",
        creditsPerCharacter: 0.25
      }
    ],
    voices: "all",
    voicePrefix: "lc-"
  },
  provider_opensource: {
    name: "Open source",
    description: "The English voices of Flite, a free speech engine from the Festival family.",
    engine: "flite",
    models: [
      { id: "flite-1", name: "Flite", description: "Flite's default pace.", creditsPerCharacter: 0.25 },
      {
        id: "flite-1-slow",
        name: "Flite slow",
        description: "For dictation and learners.",
        creditsPerCharacter: 0.25,
        rate: 0.8
      }
    ],
    voices: "all",
    voicePrefix: "os-"
  }
})
