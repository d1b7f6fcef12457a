import { expect, test } from "vitest"
import { genderOfSpeaker } from "../../../src/script/language/SpeakerGender.ts"

const guesses = (language: string | undefined, ...names: ReadonlyArray<string>) =>
  names.map((name) => genderOfSpeaker(name, language))
const [f, m] = ["female", "male"] as const

test("words and titles decide, then given names; two genders decide nothing", () => {
  expect(guesses("en", "OLD MAN", "WOMAN #2", "Mrs. Ben Lake", "Queen", "Sam Lake")).toEqual([m, f, f, f, m])
  expect(guesses("en", "MEN AND WOMEN", "NARRATOR", "RADIO", "KIM", "42", "")).toEqual(
    Array.from({ length: 6 }, () => undefined)
  )
  expect(guesses("fr", "M. Lake", "Mme Lake", "JEAN", "HELENE", "ANNA M.")).toEqual([m, f, m, f, f])
  expect(guesses("de", "HERR WEBER", "Frau Weber", "Jürgen", "JURGEN", "Mädchen")).toEqual([m, f, m, m, f])
  expect(guesses("vi", "ông Nam", "BÀ LAN", "Nguyễn Thị Mai", "Cậu bé")).toEqual([m, f, f, m])
})

test("a name has the gender of its language, else the one of all languages that have it", () => {
  expect([genderOfSpeaker("Andrea", "it"), genderOfSpeaker("Andrea", "de")]).toEqual([m, f])
  expect(guesses(undefined, "Andrea", "Anna", "Wolfgang")).toEqual([undefined, f, m])
})

test("names of neighbours are known in every language", () => {
  const foreign = ["VIKTOR", "Wiktoria", "ZOLTÁN", "Zsofia", "Pekka", "Aino", "Søren", "DRAGANA", "Dmitri"]
  for (const language of [undefined, "de", "fr", "vi"])
    expect(guesses(language, ...foreign)).toEqual([m, f, m, f, m, f, m, f, m])
})
