/**
 * Judges a rewriter's reply. A proposal is a single line of plain text in the line's language that fits the limit and
 * says the same. Everything else is refused: the reply comes from a program that received untrusted text.
 */
import { type LanguageTag, primaryLanguage } from "../../domain/values/Ids.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"
import { languageShown } from "../heard/ComparableWords.ts"
import { isPronounceable, isUnspaced, scriptOf } from "../language/WritingSystems.ts"
import { readsAsInstruction } from "./Injection.ts"

/** The line that a reply should shorten. */
export interface ShortenedLine {
  readonly text: string
  /** The most characters that fit. */
  readonly limit: number
  readonly language?: LanguageTag | undefined
}

/** A judged reply. */
export interface Proposal {
  /** The reply with single spaces, in Unicode's composed form. */
  readonly text: string
  /** Why it is refused; undefined for a proposal. */
  readonly fault: string | undefined
  /** Whether it is refused only because it is too long. */
  readonly isLong: boolean
}

/** Judges a reply. */
export const proposalIn = (reply: string, line: ShortenedLine): Proposal => {
  const answer = withoutReasoning(reply)
  const text = answer
    .normalize("NFC")
    .replaceAll(/[^\S\n]+/gu, " ")
    .trim()
  const fault = faultIn(text, line)
  const length = charactersOf(text)
  const long = length > line.limit ? `it has ${length} characters; at most ${line.limit} fit` : undefined
  return { text, fault: fault ?? long, isLong: fault === undefined && long !== undefined }
}

/** Local models print their reasoning before the answer. */
const withoutReasoning = (reply: string): string => reply.replace(/^\s*<think>[\s\S]*?<\/think>/u, "")

const faultIn = (text: string, { text: source, language }: ShortenedLine): string | undefined => {
  if (!isPronounceable(text)) return "it is empty"
  if (/\n/u.test(text)) return "it has several lines"
  if (readsAsInstruction(text)) return "it reads like an instruction to a language model"
  if (/[\p{Cc}\p{Co}\p{Cn}]|(?![\u200c\u200d])\p{Cf}/u.test(text)) return "it has control characters"
  if (/[<>{}[\]`|♪♫*_#~^\\]|&\w+;|\(\s*\d+(?:\s*\p{L}+)?\s*\)/u.test(onlyNew(text, source)))
    return "it has markup or a remark"
  if (isQuoted(text) && !isQuoted(source)) return "it is in quotes"
  if (hasAlternatives(text) && !hasAlternatives(source)) return "it has several alternatives"
  if (label.test(text) && !label.test(source)) return "it begins with a label"
  if (preamble.test(text) && !preamble.test(source)) return "it is a remark about the line"
  if (newNumber(text, source)) return "it has a number that the line does not have"
  const other = otherLanguage(text, source, language)
  if (other !== undefined) return other
  return shareOfWords(text, source) < minShare ? "it shares too few words with the line" : undefined
}

/** The characters of a reply that the line does not use itself. */
const onlyNew = (text: string, source: string): string =>
  [...text]
    .filter((character) => /[\p{L}\p{M}\p{N}\s()&;]/u.test(character) || !source.includes(character))
    .join("")

/** Whether a whole text is in quotes. An apostrophe inside a word is not a quote. */
const isQuoted = (text: string): boolean => /^["“”„«»「『'‘‚‹].*["“”„«»」』'’‘›][.!?…。]?$/u.test(text)

/** "A / B", "A or: B", "1) A 2) B", "• A". */
const hasAlternatives = (text: string): boolean =>
  /\s\/\s|^\s*(?:[-•–—]\s|\(?[1-9a-c][).]\s)|\s\(?[2-9][).]\s|\b(?:or|oder|ou|hoặc)\s*:/iu.test(text)

/** "Shortened: …", "ANNA: …", "Ngắn gọn: …": a label of up to four words. Times such as 10:30 have no space. */
const label = /^[\p{L}\p{M}\p{N}'’-]+(?: [\p{L}\p{M}\p{N}'’-]+){0,3} ?[:：]\s?\S/u

const preamble =
  /^(?:sure|certainly|of course|here(?:'s| is| are)|i (?:cannot|can't|can not|am unable|won't)|i'm sorry, but|as an? (?:ai|language model)|unfortunately|(?:the )?(?:shortened|shorter|rewritten|revised) (?:line|version|text)|dưới đây là|đây là (?:câu|phiên bản|bản)|voici|hier ist|aquí (?:está|tienes)|ecco)\b[^.!?]{0,60}(?:$|[:.!—–-])/iu

/** A number in digits is short to write and long to say. A number that the line lacks is a remark or a change. */
const newNumber = (text: string, source: string): boolean => {
  const known = new Set(source.normalize("NFKC").match(/\p{Nd}+/gu))
  return (text.normalize("NFKC").match(/\p{Nd}+/gu) ?? []).some((digits) => !known.has(digits))
}

const otherLanguage = (
  text: string,
  source: string,
  language: LanguageTag | undefined
): string | undefined => {
  const script = scriptOf(text)
  if (script !== undefined && scriptOf(source) !== undefined && script !== scriptOf(source))
    return "it is in another script"
  const shown = languageShown(text, 2)
  const own = language === undefined ? languageShown(source, 2) : primaryLanguage(language)
  const isOther =
    shown !== undefined && own !== undefined && shown !== own && languageShown(source, 1) !== shown
  return isOther ? `it is in another language (${shown})` : undefined
}

/** A proposal shares at least this part of its words with the line. */
const minShare = 0.3

/**
 * Returns the share of a text's words whose first four letters begin a word of the source. In scripts without spaces,
 * it compares characters.
 */
const shareOfWords = (text: string, source: string): number => {
  const words = unitsOf(text)
  const known = new Set(unitsOf(source))
  return words.filter((word) => known.has(word)).length / Math.max(1, words.length)
}

const unitsOf = (text: string): ReadonlyArray<string> => {
  const plain = text.normalize("NFKC").toLowerCase()
  return isUnspaced(plain)
    ? (plain.match(/[\p{L}\p{N}]/gu) ?? [])
    : (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map((word) => [...word].slice(0, 4).join(""))
}
