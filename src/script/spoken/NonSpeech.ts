/**
 * Removes non-speech from captions: sounds in brackets, lyrics between music notes. Brackets may also contain spoken
 * words ("the [third] block", "the LHC (at CERN)"), so their position and contents decide.
 */
import { isCapitals, isPronounceable, wordCount } from "../language/WritingSystems.ts"
import { namesRole, namesSound } from "../language/SoundWords.ts"

const sign = "[♩-♬\\u{1d15e}-\\u{1d164}\\u{1f3b5}\\u{1f3b6}]"
const musicSign = new RegExp(sign, "u")
const everySign = new RegExp(sign, "gu")
const between = new RegExp(`${sign}+[^♩-♬]*?${sign}+`, "gu")
const endsSung = new RegExp(`^.*${sign}[ \\t]*$`, "gmu")
const beginsSung = new RegExp(`${sign}(?:[^\\n]|\\n(?![ \\t]*[-\u2013\u2014]))*`, "gu")
const hashed =
  /^[ \t]*#[ \t]+[^#\n]*(?:#[ \t]*$|\n[ \t]*#?[^#\n]*#[ \t]*$)|^[ \t]*\?[ \t]+[^?\n]*\?[ \t]*$/gmu

/** `¶ … ¶` from a line's start to a line's end: pilcrows in place of notes, for character sets without them. */
const pilcrows = /(?<=^[ \t]*(?:[-\u2013\u2014][ \t]*)?)¶((?:[^¶]|¶(?![ \t]*$)){0,300})¶(?=[ \t]*$)/gmu

/**
 * Removes lyrics; with "speak", only the signs. Lyrics are:
 *
 * - text between music notes
 * - a line that ends with a note
 * - text from a note to the end or to the next speaker's dash
 * - lines in `# … #`, or in `? … ?` (notes after a wrong conversion)
 */
export const withoutMusic = (text: string, music: "skip" | "speak"): { text: string; music: boolean } => {
  const written = text.includes("¶") ? text.replace(pilcrows, "♪$1♪") : text
  if (!musicSign.test(written) && !/^[ \t]*[#?][ \t]/mu.test(written)) return { text, music: false }
  const left =
    music === "skip"
      ? [between, endsSung, beginsSung, hashed].reduce((rest, lyrics) => rest.replace(lyrics, " "), written)
      : written.replace(everySign, " ").replace(/^[ \t]*#[ \t]+|[ \t]+#[ \t]*$/gmu, "")
  return { text: left, music: left !== text }
}

const group =
  /\*?\[[^[\]]{0,160}\]|\*?\([^()]{0,160}\)|（[^（）]{0,160}）|【[^【】]{0,160}】|［[^［］]{0,160}］|\{[^{}]{0,160}\}|(?<=^[ \t]*(?:[-\u2013\u2014][ \t]*)?)\*[ \t][^*]{1,160}[ \t]\*(?=[ \t]*$)|(?<![\p{L}\p{N}*])\*(?=[\p{L}[(])[^*\n]{1,40}(?<=[\p{L})\]])\*(?![\p{L}\p{N}*])|<[\p{Lu}][^<>\n]{0,60}>/gmu

/** Removes notes from one speaker's text; with "speak", only the brackets. */
export const withoutSounds = (text: string, sounds: "skip" | "speak"): { text: string; sounds: boolean } => {
  group.lastIndex = 0
  if (!/[[({<（【［*]/u.test(text)) return { text, sounds: false }
  const whole = !isPronounceable(text.replace(group, ""))
  let taken = false
  const left = text.replace(group, (written: string, at: number) => {
    const attached = /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, at - 2), at))
    const inner = written.replace(/^\*?[[({<（【［]|[\])}>）】］]$|^\*|\*$/gu, "")
    if (isReading(inner, text.slice(Math.max(0, at - 2), at))) return ""
    if (!isPronounceable(inner)) return attached ? written : " "
    if (attached && !/^[（【［]/u.test(written) && !/\s/u.test(inner)) return written
    if (sounds === "skip" && isNote(written, inner, text, at, whole)) {
      taken = true
      return " "
    }
    return /^[（(]/u.test(written) ? written : inner
  })
  return { text: left, sounds: taken }
}

/** Whether brackets contain the reading of the kanji before them, as in 「漢字(かんじ)」. */
const isReading = (inner: string, before: string): boolean =>
  /^[\p{sc=Hiragana}ー]+$/u.test(inner) && /\p{sc=Han}$/u.test(before)

/** How many characters of context around a note are examined. */
const near = 80

/** Maximum words of a note in round brackets; longer text is a sentence. */
const fewWords = 4

const isNote = (written: string, inner: string, text: string, at: number, whole: boolean): boolean => {
  const words = wordCount(inner)
  const sound = namesSound(inner) && words <= 8
  const padded = /^\s/u.test(inner) && /\s$/u.test(inner)
  const role = isCapitals(inner) && namesRole(inner)
  if (sound || padded || role || /^(?:[<{]|\*[\s[(])/u.test(written)) return true
  const round = /^[（(]/u.test(written)
  if (round && words > fewWords) return false
  const before = text.slice(Math.max(0, at - near), at)
  const behind = text.slice(at + written.length, at + written.length + near)
  // The sentence continues or ends after it, so it is spoken: "[word].", "[word] --".
  if (written.startsWith("[") && words <= 2 && /^\s*(?:[.,;]|--|[\u2013\u2014])/u.test(behind)) return false
  if (whole) return true
  const fresh = /^\s*$|[.?!…。！？:♪"”]\s*$/u.test(before)
  const lineAlone = /(?:^|\n)[ \t]*$/u.test(before) && /^[ \t]*(?:\n|$)/u.test(behind)
  if (lineAlone && fresh) return true
  const aside =
    /^\p{Ll}|^(?:To|In|On|Over|From|Into|Through) |, (?:in|on|over|from|into|\p{Ll}+ing)(?: |$)/u.test(
      inner
    ) || isCapitals(inner)
  const leads = fresh && aside && /^\s*["“'‘¿¡]?\p{Lu}/u.test(behind)
  const ends = fresh && /\S/u.test(before) && /^\p{Ll}/u.test(inner) && words <= 4 && /^\s*$/u.test(behind)
  return leads || ends
}
