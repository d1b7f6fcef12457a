/** Settings of the five built-in providers. They work offline, with the bundled engines eSpeak NG and Flite. */
import { Schema } from "effect"
import { ProviderSettings, type VoiceSettings } from "./ServiceConfig.ts"

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
  voice: VoiceSettings["voice"],
  description: string
) => ({ id, name, gender, voice, description })

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
      named("aria", "Aria", "female", polyglot("f2"), "A clear, warm voice for any language."),
      { ...named("luna", "Luna", "female", polyglot("f3"), "A bright, young voice."), pitch: 1.5 },
      { ...named("stella", "Stella", "female", polyglot("f4"), "A deep, composed voice."), rate: 0.95 },
      named("marcus", "Marcus", "male", polyglot("m3"), "A steady voice for stories and explanations."),
      { ...named("theo", "Theo", "male", polyglot("m7"), "A light, quick voice."), rate: 1.05 },
      { ...named("magnus", "Magnus", "male", polyglot("m1"), "A low, grave voice."), pitch: -2.5, rate: 0.92 }
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
      named("vi-anna", "Anna (Northern Vietnamese)", "female", "vi+f2", "A clear Northern voice."),
      named("vi-bo", "Bo (Northern Vietnamese)", "male", "vi+m3", "A steady Northern voice."),
      named("vi-hue", "Huệ (Central Vietnamese)", "female", "vi-vn-x-central+f3", "A soft Central voice."),
      named("vi-kien", "Kiên (Central Vietnamese)", "male", "vi-vn-x-central+m1", "A low Central voice."),
      named("vi-mai", "Mai (Southern Vietnamese)", "female", "vi-vn-x-south+f4", "A warm Southern voice."),
      named("vi-nam", "Nam (Southern Vietnamese)", "male", "vi-vn-x-south+m7", "A light Southern voice."),
      named("en-anna", "Anna (American English)", "female", "en-us+f2", "A clear American voice."),
      named("en-bo", "Bo (American English)", "male", "en-us+m3", "A steady American voice.")
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
