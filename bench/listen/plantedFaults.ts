/**
 * Plants faults in the words of clips, and simulates a recogniser that hears them with errors. Shares no code with the
 * detection that it measures.
 */

/** The faults that are planted in clips. */
export const plants = [
  "missing word",
  "doubled word",
  "cut tail",
  "wrong line",
  "tag read aloud",
  "other language"
] as const
export type Plant = (typeof plants)[number]

/** Lines of one language, in the order of a film. */
export interface SpokenFilm {
  readonly language: string
  readonly lines: ReadonlyArray<string>
}

/** A clip: what it should say, and what it says. */
export interface PlantedClip {
  readonly language: string
  readonly asked: string
  readonly spoken: string
  readonly neighbours: ReadonlyArray<string>
  readonly plant: Plant | undefined
}

/** Returns numbers from 0 to 1 that depend on the seed only (mulberry32). */
export const chance = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <A>(random: () => number, list: ReadonlyArray<A>): A | undefined =>
  list[Math.floor(random() * list.length)]

/** Splits a line into words with what follows each: spaces, or nothing in Japanese. */
const wordsOf = (line: string, language: string): ReadonlyArray<string> =>
  language === "ja"
    ? [...new Intl.Segmenter("ja", { granularity: "word" }).segment(line)].flatMap(
        ({ segment, isWordLike }) => (isWordLike === true ? [segment] : [])
      )
    : line.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))

const joined = (words: ReadonlyArray<string>, language: string): string =>
  words.join(language === "ja" ? "" : " ")

/** How voices read markup that reached them by mistake. */
const tagsAloud: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: ["less than i greater than", "slash i", "font color white", "backslash an8"],
  de: ["kleiner als i größer als", "schrägstrich i", "font color white"],
  fr: ["barre oblique i", "font color white", "inférieur à i supérieur à span"],
  es: ["barra i", "font color white"],
  vi: ["dấu gạch chéo i", "font color white"],
  ja: ["スラッシュ i", "font color white"]
}

/** Makes clips from films. A share `clean` of them has no fault; the others get each fault in turn. */
export const plantClips = (
  films: ReadonlyArray<SpokenFilm>,
  { count, clean, seed }: { readonly count: number; readonly clean: number; readonly seed: number }
): ReadonlyArray<PlantedClip> => {
  const random = chance(seed)
  const clips: Array<PlantedClip> = []
  for (let turn = 0; clips.length < count; turn++) {
    const film = films[turn % films.length]
    if (film === undefined) break
    const { language, lines } = film
    const at = Math.floor(random() * lines.length)
    const asked = lines[at] ?? ""
    const words = wordsOf(asked, language)
    if (words.length < 3) continue
    const neighbours = [lines[at - 2], lines[at - 1], lines[at + 1], lines[at + 2]].filter(
      (line) => line !== undefined
    )
    const plant = random() < clean ? undefined : plants[clips.length % plants.length]
    const spoken = spokenOf(plant, words, language, { neighbours, films, random, asked })
    if (spoken !== undefined) clips.push({ language, asked, spoken, neighbours, plant })
  }
  return clips
}

const spokenOf = (
  plant: Plant | undefined,
  words: ReadonlyArray<string>,
  language: string,
  {
    neighbours,
    films,
    random,
    asked
  }: {
    readonly neighbours: ReadonlyArray<string>
    readonly films: ReadonlyArray<SpokenFilm>
    readonly random: () => number
    readonly asked: string
  }
): string | undefined => {
  // In Japanese a word of one character is a particle, which recognisers write in other ways, too.
  const long = words.flatMap((word, at) => (language !== "ja" || word.length > 1 ? [at] : []))
  switch (plant) {
    case undefined:
      return joined(words, language)
    case "missing word": {
      const at = pick(random, long)
      return at === undefined ? undefined : joined(words.toSpliced(at, 1), language)
    }
    case "doubled word": {
      const at = pick(random, long)
      return at === undefined ? undefined : joined(words.toSpliced(at, 0, words[at] ?? ""), language)
    }
    case "cut tail": {
      const kept = Math.max(1, Math.floor(words.length * (0.4 + random() * 0.45)))
      const lost = joined(words.slice(kept), language)
      return lost.length < 2 ? undefined : joined(words.slice(0, kept), language)
    }
    case "wrong line": {
      const other = pick(
        random,
        neighbours.filter((line) => wordsOf(line, language).length >= 3 && line !== asked)
      )
      return other === undefined ? undefined : joined(wordsOf(other, language), language)
    }
    case "tag read aloud": {
      const tag = pick(random, tagsAloud[language] ?? tagsAloud["en"] ?? [])
      const at = random() < 0.5 ? 0 : words.length
      return tag === undefined ? undefined : joined(words.toSpliced(at, 0, tag), language)
    }
    case "other language": {
      const film = pick(
        random,
        films.filter((one) => one.language !== language)
      )
      const other = film === undefined ? undefined : pick(random, film.lines)
      return film === undefined || other === undefined || wordsOf(other, film.language).length < 3
        ? undefined
        : joined(wordsOf(other, film.language), film.language)
    }
  }
}

/** How a simulated recogniser errs. */
export interface Mishearing {
  /** Errors per word: in equal parts substitutions, deletions and insertions. */
  readonly wordErrorRate: number
  readonly random: () => number
  /** Words that the recogniser inserts. */
  readonly vocabulary: ReadonlyArray<string>
}

const vowels = "aeiouyáàâäéèêëíîïóôöúûüăơưảạếệộồ"
const consonants = "bcdfghklmnprstvwzñçß"
const kana = "あいうえおかきくけこさしすせそたちつてとなにのはまもやゆらりるれわん"

/** Returns a word that sounds alike: one letter is dropped, added, or replaced by another vowel, consonant or kana. */
const misheard = (word: string, random: () => number): string => {
  const letters = Array.from(word)
  const at = Math.floor(random() * letters.length)
  const letter = letters[at] ?? ""
  const kin = /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u.test(letter)
    ? kana
    : vowels.includes(letter.toLowerCase())
      ? vowels
      : consonants
  const other =
    pick(
      random,
      Array.from(kin).filter((one) => one !== letter)
    ) ?? ""
  const way = random()
  if (way < 0.2 && letters.length > 3) letters.splice(at, 1)
  else if (way < 0.4) letters.splice(at, 0, other)
  else letters[at] = other
  return letters.join("")
}

/** Returns what the simulated recogniser writes: lower case, no punctuation, and its errors. */
export const hear = (
  spoken: string,
  language: string,
  { wordErrorRate, random, vocabulary }: Mishearing
): string => {
  const written: Array<string> = []
  for (const word of wordsOf(spoken, language)) {
    const plain = word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    const error = random() / wordErrorRate
    if (error < 1 / 3) written.push(misheard(plain, random))
    else if (error < 2 / 3) continue
    else if (error < 1) written.push(plain, pick(random, vocabulary) ?? plain)
    else written.push(plain)
  }
  return joined(written, language)
}

/** The distinct words of a film, which a recogniser of its language might insert. */
export const vocabularyOf = ({ lines, language }: SpokenFilm): ReadonlyArray<string> => [
  ...new Set(lines.flatMap((line) => wordsOf(line, language)).map((word) => word.toLowerCase()))
]
