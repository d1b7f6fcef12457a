import { expect, test } from "vitest"
import { languageInName } from "../../../src/pipeline/load/LanguageFromFilename.ts"

test.each([
  ["film.en.srt", "film", "en"],
  ["subs.de/film.vtt", "film", undefined],
  ["Ep 2.pt-BR.srt", "Ep 2", "pt-BR"],
  ["ep_2.zh_TW.srt", "ep_2", "zh-TW"],
  ["film.eng.ass", "film", "en"],
  ["film.ger.srt", "film", "de"],
  ["film.haw.srt", "film", "haw"],
  ["The Film.English.srt", "The Film", "en"],
  ["film.commentary.srt", "film.commentary", undefined],
  ["film.en.sdh.srt", "film", "en"],
  ["film.vi.forced.cc.srt", "film", "vi"],
  ["film.en.hi.srt", "film", "en"],
  ["film.hi.srt", "film", "hi"],
  ["film.sdh.srt", "film", undefined],
  ["film.old.srt", "film.old", undefined],
  ["film.mkv.srt", "film.mkv", undefined],
  ["v1.2.srt", "v1.2", undefined]
])("splits %s into title %s and language %s", (file, title, language) => {
  expect(languageInName(file)).toEqual({ title, language })
})
