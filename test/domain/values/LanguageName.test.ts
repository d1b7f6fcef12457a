import { Either, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { LanguageTag } from "../../../src/domain/values/Ids.ts"
import { languageNamed, LanguageWritten, ownNameOf } from "../../../src/domain/values/LanguageName.ts"

describe("parses a language:", () => {
  test.each([
    ["en", "en"],
    ["en-US", "en-US"],
    ["fr_CA", "fr-CA"],
    ["eng", "en"],
    ["ger", "de"],
    ["deu-AT", "de-AT"],
    ["yue", "yue"],
    ["french", "fr"],
    ["French", "fr"],
    [" VIETNAMESE ", "vi"],
    ["Brazilian Portuguese", "pt-BR"],
    ["Mandarin", "zh"],
    ["Serbian", "sr"],
    ["Filipino", "fil"],
    ["Norwegian", "no"],
    ["Persian", "fa"],
    ["zh-Hant-TW", "zh-Hant-TW"]
  ])("%s is %s", (written, tag) => {
    expect(languageNamed(written)).toEqual(Either.right(tag))
  })
})

test.each([
  ["frnch", "; did you mean French (fr)?"],
  ["Vietnamses", "; did you mean Vietnamese (vi)?"],
  ["klingonese", ""],
  ["e", ""],
  ["en-", ""]
])("%s is rejected, with the nearest language suggested", (written, meant) => {
  expect(languageNamed(written)).toEqual(
    Either.left(`expected a language such as en, vi, pt-BR or French, found "${written}"${meant}`)
  )
})

test("every returned tag parses as itself", () => {
  for (const name of [
    "English",
    "Hebrew",
    "Indonesian",
    "Yiddish",
    "Romanian",
    "Serbo-Croatian",
    "Moldavian"
  ]) {
    const tag = Either.getOrUndefined(languageNamed(name))
    if (tag !== undefined) expect(languageNamed(tag), name).toEqual(Either.right(tag))
  }
  expect(Schema.decodeSync(LanguageWritten)("Hebrew")).toBe("he")
})

test.each([
  ["fr", "Français"],
  ["pt-BR", "Português (Brasil)"],
  ["tr", "Türkçe"],
  ["ja", "日本語"],
  ["zz", "zz"],
  ["fr-x1", "fr-x1"]
])("the own name of %s is %s", (tag, name) => {
  expect(ownNameOf(LanguageTag.make(tag))).toBe(name)
})
