/**
 * Measures how many faulty clips the comparison of words finds, and how many good ones it flags, with a recogniser
 * whose errors are simulated. Lines are those of real subtitles.
 *
 * `independent` errors differ from transcript to transcript of a clip; `repeated` errors do not. This is the worst
 * case: another transcript adds no information.
 *
 *     node bench/run.mjs listen <folder> [clips] [word error rate] [seed]
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import { readScript } from "../../src/script/ScriptFile.ts"
import { judgeHearings, maxHearings } from "../../src/script/heard/ConfirmedFaults.ts"
import type { HeardText } from "../../src/script/heard/HeardFaults.ts"
import { emptyLexicon } from "../../src/script/spoken/Lexicon.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"
import {
  chance,
  hear,
  type PlantedClip,
  plantClips,
  plants,
  type SpokenFilm,
  vocabularyOf
} from "./plantedFaults.ts"

const languages = ["en", "vi", "de", "fr", "ja", "es"]

const filmsIn = (folder: string, language: string): ReadonlyArray<SpokenFilm> =>
  readdirSync(join(folder, language)).flatMap((file) => {
    const read = readScript(readFileSync(join(folder, language, file)), file)
    if (Either.isLeft(read)) return []
    const { cues } = spokenWords(read.right, {}, emptyLexicon, { language })
    const lines = cues
      .flatMap((cue) => ("parts" in cue ? cue.parts.map(({ said }) => said) : []))
      .filter((line) => language !== "ja" || /[\p{sc=Hiragana}\p{sc=Han}]/u.test(line))
    return lines.length < 10 ? [] : [{ language, lines }]
  })

/** One film of each language in turn, so that every language has as many clips. */
const interleaved = (folder: string): ReadonlyArray<SpokenFilm> => {
  const all = languages.map((language) => filmsIn(folder, language))
  const most = Math.max(...all.map(({ length }) => length))
  return Array.from({ length: most }, (_, at) =>
    all.flatMap((films) => films[at % Math.max(1, films.length)] ?? [])
  ).flat()
}

interface Tally {
  found: number
  count: number
  named: number
}

const kinds = {
  "missing word": ["missing", "cut-off"],
  "doubled word": ["doubled"],
  "cut tail": ["cut-off"],
  "wrong line": ["wrong-line"],
  "tag read aloud": ["tag"],
  "other language": ["language"]
} as const

/** Prints recall by fault, and false alarms by language. */
export const main = (folder: string, clipsText = "500", rateText = "0.05", seedText = "1"): void => {
  if (!existsSync(folder)) {
    console.log(`no subtitles at ${folder}: nothing to measure`)
    return
  }
  const films = interleaved(folder)
  const [count, wordErrorRate, seed] = [Number(clipsText), Number(rateText), Number(seedText)]
  for (const repeated of [false, true]) {
    console.log(
      `\n${repeated ? "repeated" : "independent"} errors, ${wordErrorRate * 100} % of the words, ${count} clips per row`
    )
    const faulty = plantClips(films, { count, clean: 0, seed })
    const good = plantClips(films, { count: count * 4, clean: 1, seed: seed + 1 })
    const judged = (clips: ReadonlyArray<PlantedClip>) =>
      clips.map((clip, at) => judge(clip, at, films, wordErrorRate, seed, repeated))
    const results = judged(faulty)
    const byPlant = new Map(plants.map((plant): [string, Tally] => [plant, { found: 0, count: 0, named: 0 }]))
    for (const [at, { plant }] of faulty.entries()) {
      const tally = plant === undefined ? undefined : byPlant.get(plant)
      const found = results[at]?.kinds ?? []
      if (tally === undefined || plant === undefined) continue
      tally.count++
      if (found.length > 0) tally.found++
      if (found.some((kind) => kinds[plant].some((wanted) => wanted === kind))) tally.named++
    }
    for (const [plant, { found, count: all, named }] of byPlant)
      console.log(
        `${plant.padEnd(16)} found ${percent(found, all)}, named so ${percent(named, all)} of ${all}`
      )
    const totals = [...byPlant.values()]
    const sum = (of: (tally: Tally) => number) => totals.reduce((whole, tally) => whole + of(tally), 0)
    console.log(
      `recall           ${percent(
        sum(({ found }) => found),
        sum(({ count: all }) => all)
      )}`
    )
    const alarms = judged(good)
    for (const language of languages) {
      const of = alarms.filter((_, at) => good[at]?.language === language)
      console.log(
        `false alarms ${language} (${of.length})  ${percent(of.filter(({ kinds: found }) => found.length > 0).length, of.length)}`
      )
    }
    console.log(
      `false alarms     ${percent(alarms.filter(({ kinds: found }) => found.length > 0).length, alarms.length)} of ${alarms.length}`
    )
    console.log(
      `transcripts per good clip ${(alarms.reduce((whole, { hearings }) => whole + hearings, 0) / alarms.length).toFixed(2)}`
    )
    if (process.env["SHOW"] !== undefined)
      for (const [at, { kinds: found, texts }] of [...results.entries()].filter(
        ([, { kinds: found }]) => found.length === 0
      ))
        console.log(faulty[at]?.plant, "|", faulty[at]?.asked, "|", faulty[at]?.spoken, "|", texts, found)
    if (process.env["SHOW"] !== undefined)
      for (const [at, { kinds: found, texts }] of [...alarms.entries()].filter(
        ([, { kinds: found }]) => found.length > 0
      ))
        console.log("FALSE", "|", good[at]?.asked, "|", texts, found)
  }
}

const percent = (part: number, whole: number): string => `${((part * 100) / Math.max(1, whole)).toFixed(1)} %`

const judge = (
  { language, asked, spoken, neighbours, plant }: PlantedClip,
  at: number,
  films: ReadonlyArray<SpokenFilm>,
  wordErrorRate: number,
  seed: number,
  repeated: boolean
) => {
  const vocabulary = vocabularyOf(
    films.find((film) => film.language === language) ?? { language, lines: [asked] }
  )
  const expected = { parts: [asked], language, neighbours, unsaid: "" } as const
  const listen = (turn: number): HeardText => {
    const random = chance(seed * 7919 + at * 31 + (repeated ? 0 : turn) + (plant === undefined ? 5e8 : 0))
    // Draws are of little use before the generator has mixed its seed.
    for (let warm = 0; warm < 5; warm++) random()
    return { text: hear(spoken, language, { wordErrorRate, random, vocabulary }) }
  }
  const texts: [HeardText, ...Array<HeardText>] = [listen(0)]
  for (;;) {
    const judgement = judgeHearings(expected, texts)
    if (judgement._tag === "Heard")
      return {
        kinds: judgement.parts.flatMap(({ faults }) => faults.map(({ kind }) => kind)),
        hearings: texts.length,
        texts: texts.map(({ text }) => text)
      }
    if (texts.length > maxHearings) throw new Error("undecided")
    texts.push(listen(texts.length))
  }
}

main(process.argv[2] ?? "../shared/corpus/real", ...process.argv.slice(3))
