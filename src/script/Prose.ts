/**
 * Plain text and Markdown to a narration: headings and paragraphs, with nothing in them that is only for the eye.
 */
import { Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { Block, Narration, Notice, ScriptFault } from "../domain/Cue.ts"
import { unchecked } from "../domain/Unchecked.ts"
import { withoutUnseen } from "./CueLines.ts"
import { decodeEntities } from "./Entities.ts"

/** Reads a file's text. */
export const readProse = (
  text: string,
  format: "text" | "markdown"
): Either.Either<Narration, NonEmptyReadonlyArray<ScriptFault>> => {
  const notices: Array<Notice> = []
  const blocks = format === "markdown" ? markdownBlocks(text, notices) : textBlocks(text)
  return blocks.some((block) => /[\p{L}\p{N}]/u.test(block.text))
    ? Either.right(Narration.make({ format, blocks, notices }))
    : Either.left([
        ScriptFault.make({
          line: 1,
          found: "",
          expected: "no words to speak found: expected text in paragraphs"
        })
      ])
}

const blockOf = (kind: "heading" | "paragraph", text: string, line: number): ReadonlyArray<Block> => {
  const words = withoutUnseen(text).replace(/\s+/gu, " ").trim()
  return words === "" ? [] : [Block.make({ kind, text: words, line }, unchecked)]
}

interface Piece {
  readonly line: number
  readonly lines: ReadonlyArray<string>
}

const paragraphsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let start = 0
  for (let i = 0; i <= lines.length; i++)
    if (i === lines.length || (lines[i] ?? "").trim() === "") {
      if (i > start) pieces.push({ line: start + 1, lines: lines.slice(start, i) })
      start = i + 1
    }
  return pieces
}

/**
 * A line longer than any page is wide: what holds it is not wrapped by hand, and each of its lines is a paragraph.
 */
const widest = 120

/**
 * Paragraphs stand between blank lines. In a text without any, and in a block with a line too long to be wrapped by
 * hand, each line is a paragraph. A short line that stands alone before others and ends without punctuation is a
 * heading; a row of signs divides and is not read.
 */
const textBlocks = (text: string): ReadonlyArray<Block> => {
  const lines = text.split("\n")
  const pieces = paragraphsOf(lines)
  const single = pieces.length === 1
  return pieces
    .flatMap((piece) =>
      single || piece.lines.some((line) => line.length > widest)
        ? piece.lines.map((line, i): Piece => ({ line: piece.line + i, lines: [line] }))
        : [piece]
    )
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece.lines.join("")))
    .flatMap((piece, i, all) =>
      blockOf(
        !single && i < all.length - 1 && isHeading(piece.lines) ? "heading" : "paragraph",
        unwrapped(piece.lines),
        piece.line
      )
    )
}

const isHeading = (lines: ReadonlyArray<string>): boolean => {
  const text = (lines[0] ?? "").trim()
  return (
    lines.length === 1 &&
    text.length <= 60 &&
    /[\p{L}\p{N}]$/u.test(text) &&
    /^[\p{Lu}\p{Lo}\p{N}]/u.test(text)
  )
}

/** Lines wrapped by hand, as one; a word hyphenated at a line's end is whole again. */
const unwrapped = (lines: ReadonlyArray<string>): string =>
  lines
    .map((line) => line.trim())
    .join("\n")
    .replace(/(?<=\p{Ll})[-\u2010]\n(?=\p{Ll})/gu, "")
    .replace(/\n/gu, " ")

/**
 * Markdown by its usual rules. What is code, picture, comment or table rule is not read aloud; code is told in a
 * notice.
 */
const markdownBlocks = (text: string, notices: Array<Notice>): ReadonlyArray<Block> => {
  const lines = withoutFrontMatter(text).split("\n")
  const blocks: Array<Block> = []
  let open: Array<string> = []
  let from = 1
  const close = (kind: "heading" | "paragraph" = "paragraph"): void => {
    if (open.length > 0) blocks.push(...blockOf(kind, inline(unwrapped(open)), from))
    open = []
  }
  const begin = (line: number, words: string): void => {
    if (open.length === 0) from = line
    open.push(words)
  }
  let fence: string | undefined
  let comment = false
  lines.forEach((written, i) => {
    const line = written.replace(/^(?:\s*>)+\s?/u, "").trimEnd()
    const number = i + 1
    const mark = /^\s*(```+|~~~+)/u.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined
      return
    }
    if (comment || /^\s*<!--/u.test(line)) {
      close()
      comment = !line.includes("-->")
      return
    }
    if (mark !== undefined) {
      close()
      fence = mark
      notices.push(Notice.make({ line: number, message: "a block of code is not read aloud" }))
    } else if (/^\s*$/u.test(line)) close()
    else if (/^ {0,3}#{1,6}(?:\s|$)/u.test(line)) {
      close()
      begin(number, line.replace(/^\s*#+\s*/u, "").replace(/(?<!\s)\s+#+$/u, ""))
      close("heading")
    } else if (/^ {0,3}(?:=+|-+)\s*$/u.test(line) && open.length > 0) close("heading")
    else if (/^ {0,3}(?:[-*_]\s*){3,}$/u.test(line) || (line.includes("-") && /^[\s:|-]*$/u.test(line)))
      close()
    else if (/^ {0,3}\[[^\]]+\]:\s+\S/u.test(line)) close()
    else if (/^\s*(?:[-*+]|\d{1,9}[.)])\s+/u.test(line)) {
      close()
      begin(number, line.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/u, ""))
    } else if (/^\s*\|.*\|$/u.test(line)) {
      close()
      begin(
        number,
        line
          .trim()
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim())
          .join(", ")
      )
      close()
    } else begin(number, line)
  })
  close()
  return blocks
}

/** Front matter's lines are emptied, so that the others keep their numbers. What does not begin with a key is none: a rule stands above text. */
const withoutFrontMatter = (text: string): string => {
  const match =
    /^(?:---|\+\+\+)[^\S\n]*\n(?=["']?[\p{L}\p{N}_ .-]+["']?[^\S\n]*[:=])[\s\S]*?\n(?:---|\+\+\+)\s*(?:\n|$)/u.exec(
      text
    )
  return match === null ? text : match[0].replace(/[^\n]+/gu, "") + text.slice(match[0].length)
}

/** Held apart while marks are taken off: characters that a backslash says are meant as they are. */
const held = 0xe100

/**
 * A paragraph longer than any that people write loses its signs one by one: looking for pairs would take too long.
 */
const longest = 20_000

const inline = (text: string): string =>
  text.length > longest ? decodeEntities(text.replace(/[*_`~]+/gu, "")) : withoutMarks(text)

const withoutMarks = (text: string): string =>
  decodeEntities(
    text
      .replace(/\\([!-/:-@[-`{-~])/gu, (_, sign: string) => String.fromCharCode(held + sign.charCodeAt(0)))
      .replace(/(`+)\s?(.+?)\s?\1(?!`)/gu, (_, _ticks, code: string) =>
        code.replace(/[*_~[\]<>]/gu, (sign) => String.fromCharCode(held + sign.charCodeAt(0)))
      )
      .replace(/!\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\])/gu, "")
      .replace(/\[\^[^[\]]+\]/gu, "")
      .replace(/\[([^[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\])/gu, "$1")
      .replace(/<((?:https?|mailto):[^<>\s]+|[^<>\s@]+@[^<>\s@]+)>/gu, "$1")
      .replace(/<br\s*\/?>/giu, " ")
      .replace(/<\/?[a-z][^<>]*>|<!--.*?-->/giu, "")
      .replace(/(\*\*\*|___|\*\*|__)(?=\S)(.+?)(?<=\S)\1/gu, "$2")
      .replace(/(?<![\p{L}\p{N}*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\p{L}\p{N}*])/gu, "$1")
      .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])(.+?)(?<=[^\s_])_(?![\p{L}\p{N}_])/gu, "$1")
      .replace(/~~(?=\S)(.+?)(?<=\S)~~/gu, "$1")
  ).replace(/[\ue100-\ue17f]/gu, (sign) => String.fromCharCode(sign.charCodeAt(0) - held))
