import { expect, test } from "vitest"
import { languageCode } from "../../../src/ffmpeg/probe/LanguageCode.ts"

test("gives each language the code that its container uses", () => {
  const tags = [
    "vi",
    "en-GB",
    "pt-BR",
    "pt_BR",
    "de",
    "ger",
    "deu",
    "fr",
    "sv",
    "hr",
    "no",
    "fil",
    "ZH-Hant",
    "xx",
    "tlh",
    ""
  ]
  expect(
    tags.map((tag) => [
      tag,
      languageCode(tag),
      languageCode(tag, "bibliographic"),
      languageCode(tag, "quicktime")
    ])
  ).toEqual([
    ["vi", "vie", "vie", "vie"],
    ["en-GB", "eng", "eng", "eng"],
    ["pt-BR", "por", "por", "por"],
    ["pt_BR", "por", "por", "por"],
    ["de", "deu", "ger", "ger"],
    ["ger", "deu", "ger", "ger"],
    ["deu", "deu", "ger", "ger"],
    ["fr", "fra", "fre", "fra"],
    ["sv", "swe", "swe", "sve"],
    ["hr", "hrv", "hrv", "hr "],
    ["no", "nor", "nor", "nor"],
    ["fil", "fil", "fil", "fil"],
    ["ZH-Hant", "zho", "chi", "chi"],
    ["xx", "und", "und", "und"],
    ["tlh", "tlh", "tlh", "tlh"],
    ["", "und", "und", "und"]
  ])
})
