/**
 * Signs that stress words in plain text, taken off: `*words*`, `_words_`, `~words~`, `/words/`, and doubled or mixed.
 * The same signs are also arithmetic, names of files and variables, and sounds (`*coughs*`): those stay.
 */
import { Cue, Turn } from "../../domain/speech/Cue.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { isBareSound, namesSound } from "../language/SoundWords.ts"
import { wordCount } from "../language/WritingSystems.ts"

/** Words between a sign and its like; outside of them no letter or digit, inside no space. */
const between = (sign: string, most: number): string =>
  `(?<![\\p{L}\\p{N}\\\\${sign}])(${sign}{1,${most}})(?=[\\p{L}\\p{N}"“„«'‘’¿¡(…*_~/-])(?!${sign})` +
  `((?:[^\\n]|\\n(?!\\s*\\n)){1,600}?)(?<=[^\\s${sign}])\\1(?![\\p{L}\\p{N}${sign}]|\\.\\p{L})`

const stars = new RegExp(between("\\*", 3), "gu")
const underscores = new RegExp(between("_", 3), "gu")
const tildes = new RegExp(between("~", 2), "gu")
const slashes =
  /(?<![\p{L}\p{N}\p{Pd}/:.~<\\])\/(?=\p{L})([^/<>\\]{1,200}?)(?<=[\p{L}\p{M}\p{N}.,!?…"”'’])\/(?![\p{L}\p{N}/])/gu

/** Signs that stand alone, of which two make a mark. */
const alone = /(?<!\S)(?:[*~]{2,}|_{2,})(?!\S)/gu
const spacedTildes = /^([ \t]*)~[ \t]+([^~\n]+?)[ \t]+~(?=[ \t]*$)/gmu

/** Where what is stressed goes on in the next cue, or comes from the one before. */
const opened = /^([ \t]*(?:[-\u2010-\u2015][ \t]*)?)(?:[*~](?=[\p{L}"“¿¡])|_(?=\p{L}[^\s_]*(?:\s|$)))/u
const closed = /(?:(?<=[\p{L}\p{M}\p{N}.!?…,"”’])[*~]|(?<=(?:^|\s)[^\s_]*[\p{L}\p{M}.!?…,"”’])_)(?=[ \t]*$)/u

/** A text without the signs; its lines stay as they are. `soundStars` is what `marksSounds` says of the whole file. */
export const withoutEmphasis = (text: string, soundStars = false): string => {
  if (!/[*_~/]/u.test(text)) return text
  let left = text.replace(alone, " ").replace(spacedTildes, "$1$2")
  // One sign within another: "*_words_*".
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

/** What Notes can take for a sound between stars. */
const short = /^(?=[\p{L}[(])[^*\n]{1,40}(?<=[\p{L})\]])$/u

/** Behind a label or a dash a line begins too. */
const fillsLine = (before: string, behind: string): boolean =>
  /(?:^|[\n:：)\]])[ \t]*(?:[-\u2010-\u2015][ \t]*)?$/u.test(before) && /^[ \t]*(?:\n|$)/u.test(behind)

/** Words between single stars: without them, or as Notes takes them for a sound, or may by what stands beside them. */
const starred = (written: string, words: string, fills: boolean, soundStars: boolean): string => {
  if (/^[[(]/u.test(words)) return written
  if (isSound(words)) return short.test(words) ? written : `[${words.replace(/\s+/gu, " ")}]`
  const kept = fills ? soundStars : /^(?:\p{Ll}|\p{Lu}{2})/u.test(words)
  return kept && short.test(words) ? written : words
}

const isSound = (words: string): boolean =>
  wordCount(words) <= (/[.!?…]["”’]?$/u.test(words) ? 2 : 8) && (namesSound(words) || isBareSound(words))

/**
 * Whether a file sets sounds between stars: of the lines that are wholly so, at least as many name a sound as do not.
 */
export const marksSounds = (texts: ReadonlyArray<string>): boolean => {
  const whole = texts.flatMap((text) =>
    Array.from(text.matchAll(wholeLine), ([, words = ""]) =>
      short.test(words) ? [isSound(words)] : []
    ).flat()
  )
  return whole.some((sound) => sound) && whole.filter((sound) => sound).length * 2 >= whole.length
}

const wholeLine = /^[ \t]*(?:[-\u2010-\u2015][ \t]*)?\*([^*\n]+)\*[ \t]*$/gmu

/** A cue without them, the same where it has none. */
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
