/** Splits plain text into headings and paragraphs; recognizes chats and transcripts. */
import { type Block, Notice } from "../../../domain/speech/Cue.ts"
import { isChat, isClocked, messagesOf, withoutClocks } from "./ChatStamps.ts"
import { withoutEmphasis } from "../../markup/Emphasis.ts"
import { blockOf, unwrapped } from "./Paragraphs.ts"

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

/** Longest hard-wrapped line, in characters. In a block with a longer one, each line is a paragraph. */
const widest = 120

/**
 * Splits a text into blocks:
 *
 * - Paragraphs are separated by blank lines. In a text without blank lines, and in a block that is not hard-wrapped,
 *   each line is a paragraph. In a chat, each message is.
 * - A short line on its own, without final punctuation and not the last, is a heading.
 * - A row of signs is a divider and is dropped.
 * - Dates and times next to the lines of a chat or transcript are dropped, with a notice.
 */
export const textBlocks = (text: string, notices: Array<Notice>): ReadonlyArray<Block> => {
  const lines = text.split("\n")
  const chat = isChat(lines)
  const clocked = !chat && isClocked(lines)
  if (chat || clocked)
    notices.push(
      Notice.make({ line: 1, message: `the ${chat ? "dates" : "times"} beside the lines are not read aloud` })
    )
  if (chat) return chatBlocks(lines)
  const pieces = paragraphsOf(lines)
  const single = pieces.length === 1
  if (clocked)
    return pieces.flatMap(({ line, lines }) => blockOf("paragraph", unwrapped(withoutClocks(lines)), line))
  return pieces
    .flatMap((piece) =>
      single || piece.lines.some((line) => line.length > widest)
        ? partsOf(
            piece,
            piece.lines.map((line) => [line])
          )
        : [piece]
    )
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece.lines.join("")))
    .flatMap((piece, i, all) =>
      blockOf(
        !single && i < all.length - 1 && isHeading(piece.lines) ? "heading" : "paragraph",
        withoutEmphasis(unwrapped(piece.lines)),
        piece.line
      )
    )
}

/** One or more paragraphs per message, with its author as the speaker. */
const chatBlocks = (lines: ReadonlyArray<string>): ReadonlyArray<Block> =>
  messagesOf(lines).flatMap(({ line, speaker, lines: written }) =>
    paragraphsOf(written)
      .filter((piece) => /[\p{L}\p{N}]/u.test(piece.lines.join("")))
      .flatMap((piece) =>
        blockOf("paragraph", withoutEmphasis(unwrapped(piece.lines)), line + piece.line - 1, speaker)
      )
  )

/** Splits a piece into the given parts, each with its line number. */
const partsOf = ({ line }: Piece, parts: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Piece> => {
  let at = line
  return parts.map((lines) => {
    const part = { line: at, lines }
    at += lines.length
    return part
  })
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
