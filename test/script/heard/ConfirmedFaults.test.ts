/** The program distinguishes faults in clips from a recogniser's errors. */
import { expect, test } from "vitest"
import {
  chance,
  hear,
  plantClips,
  type PlantedClip,
  vocabularyOf
} from "../../../bench/listen/plantedFaults.ts"
import { judgeHearings, maxHearings } from "../../../src/script/heard/ConfirmedFaults.ts"
import type { HeardText } from "../../../src/script/heard/HeardFaults.ts"
import { films } from "./films.ts"

const judged = (
  expected: { readonly parts: readonly [string, ...Array<string>]; readonly language: string },
  heard: string | ((turn: number) => HeardText),
  around: { readonly neighbours?: ReadonlyArray<string>; readonly unsaid?: string } = {}
) => {
  const listen = typeof heard === "string" ? () => ({ text: heard }) : heard
  const texts: [HeardText, ...Array<HeardText>] = [listen(0)]
  for (;;) {
    const judgement = judgeHearings({ neighbours: [], unsaid: "", ...expected, ...around }, texts)
    if (judgement._tag === "Heard") return { parts: judgement.parts, transcripts: texts.length }
    texts.push(listen(texts.length))
  }
}

const faultsOf = (...[expected, heard, around]: Parameters<typeof judged>) =>
  judged(expected, heard, around).parts.map(({ faults }) =>
    faults.map(({ kind, words }) => `${kind}: ${words}`)
  )

const one = (language: string, text: string): Parameters<typeof judged>[0] => ({ language, parts: [text] })

test("a recogniser that errs in 5 % of the words finds 95 % of faulty clips, with at most 1 % false alarms", () => {
  const run = (clips: ReadonlyArray<PlantedClip>, seed: number) =>
    clips.filter(({ language, asked, spoken, neighbours }, at) => {
      const film = films.find((candidate) => candidate.language === language)
      const random = chance(seed * 1e6 + at)
      const vocabulary = film === undefined ? [] : vocabularyOf(film)
      const { parts, transcripts } = judged(
        one(language, asked),
        () => ({ text: hear(spoken, language, { wordErrorRate: 0.05, random, vocabulary }) }),
        { neighbours }
      )
      expect(transcripts).toBeLessThanOrEqual(maxHearings)
      return parts.some(({ faults }) => faults.length > 0)
    }).length
  const faulty = plantClips(films, { count: 240, clean: 0, seed: 7 })
  const good = plantClips(films, { count: 300, clean: 1, seed: 8 })
  expect(run(faulty, 1) / faulty.length).toBeGreaterThanOrEqual(0.95)
  expect(run(good, 2) / good.length).toBeLessThanOrEqual(0.01)
})

test("a line that is heard as written has no fault, however a transcript spells it", () => {
  const same = (language: string, text: string, heard: string) =>
    expect(faultsOf(one(language, text), heard)).toEqual([[]])
  same("en", "We've 25 minutes, and $5 left!", "we've twenty five minutes and five dollars left")
  same("en", "In 1984 the ice cream cost 20%.", "in nineteen eighty-four the icecream cost twenty percent")
  same("en", "Press Alt + H again", "press alt h again")
  same("de", "Die Straße kostet 1.500 Euro.", "die Strasse kostet eintausendfünfhundert euro")
  same("fr", "L'œuvre date de 1991 ?", "l'oeuvre date de mille neuf cent quatre-vingt-onze")
  same("vi", "Hoà thuý có 15 lá thư", "hòa thúy có mười lăm lá thư")
  same("ja", "船は25分で出ます", "船は二十五分で出ます。")
  same("en", "<i>Wait</i> for me", "[music] wait for me (laughs)")
  same("tr", "IŞIK ve İZMİR", "ışık ve izmir")
})

test("words with different Vietnamese tones are different words", () => {
  expect(faultsOf(one("vi", "Má ơi"), "má ơi mà")).toEqual([["invented: mà"]])
  expect(faultsOf(one("vi", "Má ơi"), "má ơi má ơi")).toEqual([["doubled: má ơi"]])
})

test("each kind of fault is named with its words", () => {
  const line = one("en", "Take the old road and don't look back.")
  expect(faultsOf(line, "take the road and don't look back")).toEqual([["missing: old"]])
  expect(faultsOf(line, "take the old road and")).toEqual([["cut-off: don't look back"]])
  expect(faultsOf(line, "take the the old road and don't look back")).toEqual([["doubled: the"]])
  expect(faultsOf(line, "take the old road and don't ever look back")).toEqual([["invented: ever"]])
  expect(faultsOf(line, "slash i take the old road and don't look back")).toEqual([["tag: slash i"]])
  expect(
    faultsOf(line, "whispering take the old road and don't look back", { unsaid: "[whispering]" })
  ).toEqual([["tag: whispering"]])
  expect(
    faultsOf(line, "nobody opens that door", { neighbours: ["Nobody opens that door without the captain."] })
  ).toEqual([["wrong-line: nobody opens that door"]])
  expect(judged(line, "nimm die alte straße und schau nicht zurück").parts).toEqual([
    {
      heard: "nimm die alte straße und schau nicht zurück",
      faults: [{ kind: "language", words: "nimm die alte straße und schau nicht zurück", language: "de" }]
    }
  ])
  expect(faultsOf(line, "")).toEqual([["missing: Take the old road and don't look back"]])
})

test("in an utterance of several lines, a fault belongs to its line", () => {
  const parts: Parameters<typeof judged>[0]["parts"] = [
    "The harbour was still dark.",
    "Nobody opens that door.",
    "There is a storm coming."
  ]
  expect(
    faultsOf({ language: "en", parts }, "the harbour was still dark nobody that door there is a storm coming")
  ).toEqual([[], ["missing: opens"], []])
  expect(faultsOf({ language: "en", parts }, "the harbour was still dark there is a storm coming")).toEqual([
    [],
    ["missing: Nobody opens that door"],
    []
  ])
})

test("an error that other transcripts lack is the recogniser's", () => {
  const texts = ["take the road", "take the old road", "take the old road"]
  expect(judged(one("en", "Take the old road"), (turn) => ({ text: texts[turn] ?? "" }))).toEqual({
    parts: [{ heard: "take the old road", faults: [] }],
    transcripts: 3
  })
})

test("any transcript of any text is judged", () => {
  const odd = [
    "",
    "\u0000\u001b[31m",
    "12345678901234567890",
    "…",
    "👍🏽",
    "٣٤ مرحبا",
    "1.2.3.4",
    "ก็ 12",
    "½ + ⅓ ="
  ]
  for (const text of odd)
    for (const heard of odd)
      expect(judged({ language: "xx", parts: [text] }, heard).transcripts).toBeLessThanOrEqual(maxHearings)
})
