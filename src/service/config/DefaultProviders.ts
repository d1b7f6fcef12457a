/**
 * The five providers as they are served without a settings file: offline, by the engines that come with the program,
 * each with the character that its name promises.
 */
import { Schema } from "effect"
import { ProviderSettings } from "./ServiceConfig.ts"

/** What every provider is complete by. */
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

/**
 * Languages of the multilingual voices, with eSpeak NG's voice for each; the first is spoken where a text leaves it
 * open.
 */
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

/** Provider ids with their settings, in the order in which they are listed. */
export const defaultProviders: Readonly<Record<string, ProviderSettings>> = Schema.decodeUnknownSync(
  Schema.Record({ key: Schema.String, value: ProviderSettings })
)({
  provider_expressive: {
    name: "Expressive",
    description:
      "Multilingual voices that follow the text's own language, models of different temper, SRT and JSON transcripts.",
    transcript: "with_transcript",
    models: [
      {
        id: "expressive-multilingual",
        name: "Expressive Multilingual",
        description: "The voices as they are, in 25 languages.",
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
        description: "A clear and warm voice for any language.",
        voice: polyglot("f2")
      },
      {
        id: "luna",
        name: "Luna",
        gender: "female",
        description: "A bright and young voice.",
        voice: polyglot("f3"),
        pitch: 1.5
      },
      {
        id: "stella",
        name: "Stella",
        gender: "female",
        description: "A deep and composed voice.",
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
        description: "A light and quick voice.",
        voice: polyglot("m7"),
        rate: 1.05
      },
      {
        id: "magnus",
        name: "Magnus",
        gender: "male",
        description: "A low and grave voice.",
        voice: polyglot("m1"),
        pitch: -2.5,
        rate: 0.92
      }
    ]
  },
  provider_fast: {
    name: "Fast",
    description: "Speech within milliseconds, at an even or at a brisk pace, for notices and drafts.",
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
      "The service's own voices, Vietnamese first: numbers, dates and foreign words read as they are said, SRT in and out, control of speed, volume and pitch.",
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
    description: "More than a hundred languages, one plain voice for each, at a quarter of a credit.",
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
    description: "The English voices of Flite, from the festival of free speech engines.",
    engine: "flite",
    models: [
      { id: "flite-1", name: "Flite", description: "Flite's own pace.", creditsPerCharacter: 0.25 },
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
