/** Splits plain text into headings and paragraphs; recognizes chats and transcripts. */
import { type Block, noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
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
    notices.push(noticeAt(1, `the ${chat ? "dates" : "times"} beside the lines are not read aloud`))
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

/**
 * Recognizes exported chats and transcripts with times in plain text; extracts speakers and words without the stamps.
 * Supports WhatsApp, Telegram, Discord (copied or from DiscordChatExporter), Zoom and IRC.
 */

const day = "\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4}"
const named = "(?:\\d{1,2}\\.? \\p{L}{3,10}\\.?,? \\d{4}|\\p{L}{3,10}\\.? \\d{1,2},? \\d{4})"
const clock = "\\d{1,2}[:.]\\d{2}(?:[:.]\\d{2}(?:[.,]\\d{1,6})?)?(?:[\\s\\u202f]?[AaPp]\\.?\\s?[Mm]\\.?)?"
const zone = "(?: ?(?:Z|UTC|GMT)?(?:[+-]\\d{2}:?\\d{2})?)"
const dated = `(?:${day}|${named})(?:,? (?:at )?|T)${clock}${zone}`
const when = `(?:${dated}|${clock})`
const mark = "[\\u200e\\u200f]*"

/** Relative days ("today at 10:15"), which Discord writes in the user's language. */
const nearDay =
  "(?:today|yesterday|heute|gestern|aujourd[’']hui|hier|hoy|ayer|oggi|ieri|hoje|ontem|vandaag|gisteren|dzisiaj|dziś|wczoraj|i dag|idag|i går|igår|bugün|dün|сегодня|вчера|сьогодні|вчора|hôm nay|hôm qua|今天|昨天|今日|昨日|오늘|어제)"

/** The contents of a line that begins a message; `said` is empty if its text is on the lines below. */
interface Stamped {
  readonly speaker: string | undefined
  readonly said: string
  /** Whether the author of the previous message continues. */
  readonly goesOn?: boolean
}

interface Style {
  readonly line: RegExp
  readonly read: (found: Readonly<Record<string, string | undefined>>) => Stamped
}

const style = (
  pattern: string,
  read: Style["read"] = ({ name, said = "" }) => ({ speaker: name, said })
): Style => ({
  line: new RegExp(`^${mark}${pattern}`, "iu"),
  read
})

/** An IRC nickname, without its status prefix (`@`, `+`, …). */
const nick = "[@+%~&! ]?(?<name>[^\\s<>@+%~&!][^\\s<>]{0,30})"

/** Prefixes of status lines (someone joined, left or changed a name). */
const system = /^(?:-!-|\*{3}|-->|<--|--|—|⇐|⇒|→|←|>>>)(?:\s|$)/u

const arrival = /\bhas (?:joined|left|quit|been kicked)\b|\bis now known as\b|\bsets? (?:mode|the topic)\b/u

const ircLine = (stamp: string): ReadonlyArray<Style> => [
  style(`${stamp}<${nick}>[ \\t]?(?<said>.*)$`),
  style(`${stamp}(?<said>(?:-!-|\\*{3}|-->|<--|--|⇐|⇒|→|←)(?:\\s.*|))$`, () => ({
    speaker: undefined,
    said: ""
  })),
  style(`${stamp}\\*[ \\t]+(?<said>\\S.*)$`, ({ said = "" }) => ({
    speaker: undefined,
    said: arrival.test(said) ? "" : said
  }))
]

/** Styles of a line that begins a message, most specific first. */
const styles: ReadonlyArray<Style> = [
  // Zoom: "10:15:32 From Anna to Everyone:", with the text on the same line or below.
  style(
    `(?:${day} )?${clock}[ \\t]+From[ \\t]+(?<name>\\S[^:]{0,60}?)(?:[ \\t]+[Tt]o[ \\t]+[^:]{1,80}?)?[ \\t]*(?:\\([^()]*\\))?[ \\t]*:[ \\t]*(?<said>.*)$`
  ),
  style(`${clock}\\t[ ]*(?<name>[^\\t:]{1,60}):[ \\t]*(?<said>.*)$`),
  ...ircLine(`\\[(?:${when})\\][ \\t]*`),
  ...ircLine(`(?:(?:${dated})|\\p{Lu}\\p{Ll}{2} \\d{1,2} ${clock}|${clock})[ \\t]+`),
  // WeeChat: time, nickname and text, separated by tabs.
  style(`(?:${dated})\\t(?<name>[^\\t]{1,31})\\t(?<said>.*)$`, ({ name = "", said = "" }) =>
    system.test(`${name} `)
      ? { speaker: undefined, said: "" }
      : /^\W*$/u.test(name)
        ? { speaker: undefined, said }
        : { speaker: name.replace(/^[@+%~&!]/u, ""), said }
  ),
  // Telegram: "Anna, [12.03.2024 10:15]".
  style(`(?<name>\\S[^\\[\\]\\n]{0,60}?),? \\[${dated}\\]:?[ \\t]*(?<said>)$`),
  // Discord: "Anna — Today at 10:15".
  style(
    `(?<name>(?:[^\\s.!?…]|\\.(?=\\S))(?:[^.!?…\\n]|\\.(?=\\S)){0,39}?)(?:\\s(?:BOT|APP))? ?[—–] ?(?:${dated}|${nearDay}[\\p{L}\\p{M} ,]{0,5}? ?${clock}(?: Uhr)?)(?<said>)$`
  ),
  // Zoom transcript as text: "[Anna Smith] 10:15:32".
  style(`\\[(?<name>[^\\[\\]\\d][^\\[\\]]{0,40})\\][ \\t]+${clock}(?<said>)$`),
  style(`(?:\\[${dated}\\] ?| ?${dated} [-–] )(?<said>\\S.*)$`),
  // Discord, for every message but the first of consecutive ones by the same person.
  style(`\\[${clock}\\][ \\t]*(?<said>.*)$`, ({ said = "" }) => ({ speaker: undefined, said, goesOn: true }))
]

/** Fewest messages of a chat. */
const fewest = 2

const stampedAt = (line: string): Stamped | undefined => {
  if (!/\d[:.]\d\d/u.test(line)) return undefined
  for (const { line: pattern, read } of styles) {
    const groups = pattern.exec(line)?.groups
    if (groups !== undefined) return read(groups)
  }
  return undefined
}

/** Whether lines are from an exported chat. */
const isChat = (lines: ReadonlyArray<string>): boolean => {
  let found = 0
  return lines.some((line) => stampedAt(line) !== undefined && ++found >= fewest)
}

/** A message: its first line (from 1), its author, and its text lines. */
interface ChatMessage {
  readonly line: number
  readonly speaker: string | undefined
  readonly lines: ReadonlyArray<string>
}

/** Lines that exporters add to the messages. */
const added =
  /^(?:={5,}|-{3} (?:Log|Day)\b.*|\*{4} (?:BEGIN|ENDING|END) LOGGING.*|Guild: .*|Channel: .*|Topic: .*|After: .*|Before: .*|Exported [\d,.]+ message.*|Reacted to ".*" with .*|Removed an? .* reaction from .*)$/u

/** Heads of the lists that a Discord export adds below a message. */
const appendix = /^\{(?:Attachments|Reactions|Embed|Stickers)\}$/u

/** Returns the messages of a chat; text before the first message becomes a message of its own. */
const messagesOf = (lines: ReadonlyArray<string>): ReadonlyArray<ChatMessage> => {
  const messages: Array<{ line: number; speaker: string | undefined; lines: Array<string> }> = []
  const stamps = lines.map(stampedAt)
  const written = whereNames(lines, stamps)
  let listing = false
  lines.forEach((line, i) => {
    const stamped = stamps[i]
    if (stamped !== undefined) {
      listing = false
      const [speaker, said] = namedBy(stamped, written)
      messages.push({
        line: i + 1,
        speaker: stamped.goesOn === true ? (speaker ?? messages.at(-1)?.speaker) : speaker,
        lines: [said]
      })
      return
    }
    listing = (listing || appendix.test(line)) && line.trim() !== ""
    if (listing || added.test(line.trim())) return
    const open = messages.at(-1)
    if (open === undefined) messages.push({ line: i + 1, speaker: undefined, lines: [line] })
    else open.lines.push(line)
  })
  return messages
}

/** Where the name is if the stamp has none: alone on the line, before a colon, or nowhere. */
type NamePlace = "alone" | "colon" | "none"

const colonName = /^([^\s:][^:\n]{0,40}?): +(.*)$/u

const namedBy = ({ speaker, said }: Stamped, place: NamePlace): readonly [string | undefined, string] => {
  if (speaker !== undefined || place === "none") return [speaker?.trim(), said]
  if (place === "alone") return [said.replace(/#\d{4}$|\s+\(pinned\)$/gu, "").trim(), ""]
  const [, name, words] = colonName.exec(said) ?? []
  return [name, words ?? said]
}

/** DiscordChatExporter and Teams put the name alone, with the text below; WhatsApp and Telegram before a colon. */
const whereNames = (lines: ReadonlyArray<string>, stamps: ReadonlyArray<Stamped | undefined>): NamePlace => {
  let alone = 0
  let colons = 0
  let unnamed = 0
  stamps.forEach((stamped, i) => {
    if (stamped === undefined || stamped.speaker !== undefined || stamped.said === "") return
    unnamed++
    const below = (lines[i + 1] ?? "").trim() !== "" && stamps[i + 1] === undefined
    if (colonName.test(stamped.said)) colons++
    else if (below && stamped.said.length <= 40 && !/[.!?…]\s*$/u.test(stamped.said)) alone++
  })
  if (alone >= fewest && alone * 2 > unnamed) return "alone"
  return colons >= fewest && colons * 4 >= unnamed * 3 ? "colon" : "none"
}

/** A time, alone or before text, as players show a transcript next to a video. */
const time = /^\(?(?:(\d{1,2}):)?(\d{1,2}):(\d{2})\)?(?=\s|$)\s*/u

/**
 * Whether lines are a transcript with ascending times, on at least every third line. The first time must be early: a
 * timetable begins later.
 */
const isClocked = (lines: ReadonlyArray<string>): boolean => {
  const times = lines.flatMap((line) => {
    const found = time.exec(line)
    return found === null ? [] : [Number(found[1] ?? 0) * 3600 + Number(found[2]) * 60 + Number(found[3])]
  })
  return (
    times.length >= fewestTimes &&
    (times[0] ?? 0) <= latestFirst &&
    times.length * 3 >= lines.filter((line) => line.trim() !== "").length &&
    times.every((at, i) => i === 0 || at >= (times[i - 1] ?? 0))
  )
}

/** Fewest times of a transcript; fewer may be part of the text. */
const fewestTimes = 3

/** Latest first time of a transcript, in seconds; later ones are part of the text. */
const latestFirst = 60

/** Removes the times, and lines that consist of a time only. */
const withoutClocks = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => line.replace(time, "")).filter((line) => line.trim() !== "")
