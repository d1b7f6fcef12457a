/**
 * Removes plain-text emphasis marks: `*words*`, `_words_`, `~words~`, `/words/`, also doubled or nested. The same signs
 * stay in arithmetic, in names of files and variables, and around sounds (`*coughs*`).
 */
import { Cue, Turn } from "../../domain/speech/Cue.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { isBareSound, namesSound } from "../language/SoundWords.ts"
import { wordCount } from "../language/WritingSystems.ts"

/** Matches words between two equal marks, with no letter or digit just outside and no space just inside. */
const between = (sign: string, most: number): string =>
  `(?<![\\p{L}\\p{N}\\\\${sign}])(${sign}{1,${most}})(?=[\\p{L}\\p{N}"“„«'‘’¿¡(…*_~/-])(?!${sign})` +
  `((?:[^\\n]|\\n(?!\\s*\\n)){1,600}?)(?<=[^\\s${sign}])\\1(?![\\p{L}\\p{N}${sign}]|\\.\\p{L})`

const stars = new RegExp(between("\\*", 3), "gu")
const underscores = new RegExp(between("_", 3), "gu")
const tildes = new RegExp(between("~", 2), "gu")
const slashes =
  /(?<![\p{L}\p{N}\p{Pd}/:.~<\\])\/(?=\p{L})([^/<>\\]{1,200}?)(?<=[\p{L}\p{M}\p{N}.,!?…"”'’])\/(?![\p{L}\p{N}/])/gu

/** Doubled marks on their own, surrounded by white space. */
const alone = /(?<!\S)(?:[*~]{2,}|_{2,})(?!\S)/gu
const spacedTildes = /^([ \t]*)~[ \t]+([^~\s](?:[^~\n]*[^~\s])?)[ \t]+~(?=[ \t]*$)/gmu

/** A single opening or closing sign: the emphasis continues in the next cue, or began in the previous one. */
const opened = /^([ \t]*(?:[-\u2010-\u2015][ \t]*)?)(?:[*~](?=[\p{L}"“¿¡])|_(?=\p{L}[^\s_]*(?:\s|$)))/u
const closed = /(?:(?<=[\p{L}\p{M}\p{N}.!?…,"”’])[*~]|(?<=(?:^|\s)[^\s_]*[\p{L}\p{M}.!?…,"”’])_)(?=[ \t]*$)/u

/** Removes emphasis marks; line breaks stay. `soundStars` is the result of {@link marksSounds} for the file. */
export const withoutEmphasis = (text: string, soundStars = false): string => {
  if (!/[*_~/]/u.test(text)) return text
  let left = text.replace(alone, " ").replace(spacedTildes, "$1$2")
  // Repeat for nested marks: "*_words_*".
  for (let depth = 0; depth < 3; depth++) {
    const before = left
    left = left
      .replace(stars, (written: string, marks: string, words: string, at: number, whole: string) => {
        if (marks !== "*") return words
        const fills = fillsLine(whole.slice(0, at), whole.slice(at + written.length))
        return starred(written, words, fills, soundStars)
      })
      .replace(underscores, "$2")
      .replace(tildes, "$2")
      .replace(slashes, "$1")
    if (left === before) break
  }
  const marks = left.match(/[*_~]/gu)?.length ?? 0
  return marks === 1 ? left.replace(opened, "$1").replace(closed, "") : left
}

/** Text between stars that `NonSpeech.ts` can recognize as a sound. */
const short = /^(?=[\p{L}[(])[^*\n]{1,40}(?<=[\p{L})\]])$/u

/** Whether the marked words fill a whole line; a label or dash before them does not count. */
const fillsLine = (before: string, behind: string): boolean =>
  /(?:^|[\n:：)\]])[ \t]*(?:[-\u2010-\u2015][ \t]*)?$/u.test(before) && /^[ \t]*(?:\n|$)/u.test(behind)

/** Handles words between single stars: removes the stars, or keeps them so that `NonSpeech.ts` sees a sound. */
const starred = (written: string, words: string, fills: boolean, soundStars: boolean): string => {
  if (/^[[(]/u.test(words)) return written
  if (isSound(words)) return short.test(words) ? written : `[${words.replace(/\s+/gu, " ")}]`
  const kept = fills ? soundStars : /^(?:\p{Ll}|\p{Lu}{2})/u.test(words)
  return kept && short.test(words) ? written : words
}

const isSound = (words: string): boolean =>
  wordCount(words) <= (/[.!?…]["”’]?$/u.test(words) ? 2 : 8) && (namesSound(words) || isBareSound(words))

/** Whether a file marks sounds by stars: at least half of its lines that are wholly between stars name a sound. */
export const marksSounds = (texts: ReadonlyArray<string>): boolean => {
  const whole = texts.flatMap((text) =>
    Array.from(text.matchAll(wholeLine), ([, words = ""]) =>
      short.test(words) ? [isSound(words)] : []
    ).flat()
  )
  return whole.some((sound) => sound) && whole.filter((sound) => sound).length * 2 >= whole.length
}

const wholeLine = /^[ \t]*(?:[-\u2010-\u2015][ \t]*)?\*([^*\n]+)\*[ \t]*$/gmu

/** Returns a cue without emphasis marks; the same object if it has none. */
export const unemphasized = (cue: Cue, soundStars: boolean): Cue => {
  if (!/[*_~/]/u.test(cue.text)) return cue
  const [first, ...others] = cue.turns ?? []
  if (first === undefined) {
    const text = withoutEmphasis(cue.text, soundStars)
    return text === cue.text ? cue : Cue.make({ ...cue, text }, skipValidation)
  }
  const plain = (turn: Turn): Turn =>
    Turn.make({ ...turn, text: withoutEmphasis(turn.text, soundStars) }, skipValidation)
  const turns = [plain(first), ...others.map(plain)] as const
  return Cue.make({ ...cue, turns, text: turns.map((turn) => turn.text).join("\n") }, skipValidation)
}
