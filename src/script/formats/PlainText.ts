/** Plain text to headings and paragraphs. */
import { type Block, Notice } from "../../domain/speech/Cue.ts"
import { isChat, isClocked, messagesOf, withoutClocks } from "./ChatStamps.ts"
import { withoutEmphasis } from "../markup/Emphasis.ts"
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

/**
 * A line longer than any page is wide: what holds it is not wrapped by hand, and each of its lines is a paragraph.
 */
const widest = 120

/**
 * Paragraphs stand between blank lines. In a text without any, and in a block with a line too long to be wrapped by
 * hand, each line is a paragraph; in a chat each message is. A short line that stands alone before others and ends
 * without punctuation is a heading; a row of signs divides and is not read. Nor are dates and times beside the lines of
 * a chat or transcript, which a notice tells.
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

/** A chat's messages, each by who wrote it. */
const chatBlocks = (lines: ReadonlyArray<string>): ReadonlyArray<Block> =>
  messagesOf(lines).flatMap(({ line, speaker, lines: written }) =>
    paragraphsOf(written)
      .filter((piece) => /[\p{L}\p{N}]/u.test(piece.lines.join("")))
      .flatMap((piece) =>
        blockOf("paragraph", withoutEmphasis(unwrapped(piece.lines)), line + piece.line - 1, speaker)
      )
  )

/** A piece cut into these. */
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
