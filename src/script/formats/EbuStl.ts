/** Parses EBU STL, a binary format of broadcasters (EBU Tech 3264, https://tech.ebu.ch/docs/tech/tech3264.pdf). */
import { noticeAt, type Notice } from "../../domain/speech/Cue.ts"
import {
  knownClock,
  millisOfTimecode,
  timecodeTime,
  type FrameClock,
  type TimecodeFields
} from "./timed/FrameClock.ts"
import type { LostBlock } from "./cues/LostBlocks.ts"
import {
  subtitleOf,
  unreadLine,
  type ReadSubtitle,
  type TimedLine,
  type TimedOptions
} from "./timed/TimedLines.ts"
import iconv from "iconv-lite"

/** Lengths of the header (GSI) and of each block (TTI) in bytes. */
const headerLength = 1024
const blockLength = 128

/** Whether bytes begin like an EBU STL file: a code page, then `STL25.01` or another frame rate. */
export const isEbuStl = (bytes: Uint8Array): boolean => /^.{3}STL\d\d\.\d/su.test(latin(bytes, 0, 10))

const latin = (bytes: Uint8Array, from: number, length: number): string =>
  Buffer.from(bytes.subarray(from, from + length)).toString("latin1")

/** One subtitle, gathered from its blocks. */
interface StlSubtitle {
  readonly block: number
  readonly start: TimecodeFields | undefined
  readonly end: TimecodeFields | undefined
  /** 0 for a single subtitle; 1 to 3 for the first, a middle and the last one of a set that builds up. */
  readonly cumulative: number
  readonly isComment: boolean
  readonly bytes: Array<number>
}

/** A manifest's settings for a file. */
interface EbuStlOptions extends TimedOptions {
  /** The encoding of texts, for files that do not use the one in their header. */
  readonly encoding?: string | undefined
}

/** Parses a file. Comments and user data are left out. Lines in messages count blocks, from 1. */
export const readEbuStl = (bytes: Uint8Array, options: EbuStlOptions = {}): ReadSubtitle => {
  const clock = clockOfFile(Number(latin(bytes, 6, 2)), options)
  const decode = decoderOf(options.encoding ?? latin(bytes, 12, 2))
  const notices: Array<Notice> = []
  const subtitles = subtitlesIn(bytes)
  if ((bytes.length - headerLength) % blockLength !== 0 && bytes.length > headerLength)
    notices.push(noticeAt(Math.max(1, subtitles.length), "the file is cut off within its last block"))
  const lines: Array<TimedLine | LostBlock> = []
  subtitles.forEach((subtitle, at) => {
    const { block, start, end, isComment, cumulative } = subtitle
    const text = textOf(subtitle.bytes, decode)
    if (isComment || text.trim() === "") return
    if (block === 1 && isTitlePage(text)) {
      notices.push(noticeAt(block, "left out the first block, which describes the programme"))
      return
    }
    if (start === undefined) {
      lines.push(unreadLine(block, text, "the block's time code is invalid"))
      return
    }
    // A cumulative set stays on screen until it ends; each part is spoken before the next one appears.
    const next = cumulative === 1 || cumulative === 2 ? subtitles[at + 1]?.start : undefined
    const last = next ?? end
    lines.push({
      line: block,
      start: millisOfTimecode(start, clock),
      end: last === undefined ? undefined : millisOfTimecode(last, clock),
      turns: [{ speaker: undefined, text }]
    })
  })
  const stated = timecodeTime(latin(bytes, 256, 8).replace(/\d\d(?=\d)/gu, "$&:"), clock)
  return subtitleOf(
    lines,
    notices,
    { stated, isTimecode: true, clock },
    options,
    lines.length === 0
      ? "the EBU STL file has no subtitle with text"
      : "no block has a valid time code; the first one is shown"
  )
}

/** The clock of a file: the job's, else the header's. `STL30.01` with a film at 29.97 counts the film's frames. */
const clockOfFile = (stated: number, { frameRate, filmRate }: TimedOptions): FrameClock => {
  if (frameRate !== undefined) return knownClock({ frameRate })
  const clock = clockAt(stated)
  return filmRate?.nominal === clock.nominal ? { rate: filmRate.rate.value, nominal: clock.nominal } : clock
}

/** The clock of a rate as headers name it: 23, 29 and 59 mean 24, 30 and 60 times 1000/1001. */
const clockAt = (rate: number): FrameClock =>
  [23, 29, 59].includes(rate)
    ? { rate: ((rate + 1) * 1000) / 1001, nominal: rate + 1 }
    : { rate: rate || 25, nominal: rate || 25 }

/** Gathers blocks into subtitles: extension blocks continue the text of a subtitle. */
const subtitlesIn = (bytes: Uint8Array): ReadonlyArray<StlSubtitle> => {
  const subtitles: Array<StlSubtitle> = []
  let open: { readonly key: number; readonly subtitle: StlSubtitle } | undefined
  for (let at = headerLength; at + 16 < bytes.length; at += blockLength) {
    const block = bytes.subarray(at, at + blockLength)
    const [group = 0, low = 0, high = 0, extension = 0, cumulative = 0] = block
    // User data and reserved blocks.
    if (extension > 0xef && extension < 0xff) continue
    const key = (group << 16) | (high << 8) | low
    const subtitle: StlSubtitle =
      open?.key === key
        ? open.subtitle
        : {
            block: (at - headerLength) / blockLength + 1,
            start: fieldsAt(block, 5),
            end: fieldsAt(block, 9),
            cumulative,
            isComment: block[15] === 1,
            bytes: []
          }
    if (open?.key !== key) subtitles.push(subtitle)
    const text = block.subarray(16)
    const unused = text.indexOf(0x8f)
    subtitle.bytes.push(...(unused < 0 ? text : text.subarray(0, unused)))
    open = extension === 0xff ? undefined : { key, subtitle }
  }
  return subtitles
}

/** Whether a text is a zero subtitle: rows such as `Title: …` and `Lang: …`, written by subtitling programs. */
const isTitlePage = (text: string): boolean =>
  text
    .split("\n")
    .filter((row) => /^(?:title|story|lang|language|config|episode|translator|client)\s*:/iu.test(row))
    .length >= 2

const fieldsAt = (block: Uint8Array, at: number): TimecodeFields | undefined => {
  const [hours = 255, minutes = 255, seconds = 255, frames = 255] = block.subarray(at, at + 4)
  return hours < 24 && minutes < 60 && seconds < 60 && frames < 60
    ? { hours, minutes, seconds, frames }
    : undefined
}

/** The text of a subtitle: control codes, which take a space on a teletext page, become spaces. */
const textOf = (bytes: ReadonlyArray<number>, decode: (bytes: Uint8Array) => string): string => {
  const rows: Array<Array<number>> = [[]]
  for (const byte of bytes) {
    if (byte === 0x8a) rows.push([])
    else if (byte < 0x20) rows.at(-1)?.push(0x20)
    else if (byte < 0x7f || byte >= 0xa0) rows.at(-1)?.push(byte)
  }
  return rows
    .map((row) => decode(Uint8Array.from(row)).replace(/\s+/gu, " ").trim())
    .filter((row) => row !== "")
    .join("\n")
}

/** The upper half of ISO 6937, from 0xa0; `\0` is not assigned, accents are combining characters. */
const upper =
  "\u00a0¡¢£$¥#§¤‘“«←↑→↓" +
  "°±²³×µ¶·÷’”»¼½¾¿" +
  "\0\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0308\u030a\u0327\0\u030b\u0328\u030c" +
  "―¹®©™♪¬¦\0\0\0\0⅛⅜⅝⅞" +
  "ΩÆĐªĦ\0ĲĿŁØŒºÞŦŊŉ" +
  "ĸæđðħıĳŀłøœßþŧŋ\u00ad"

/** Returns the decoder of an encoding, or of a table as the file's header names it; `00` is ISO 6937. */
const decoderOf = (table: string): ((bytes: Uint8Array) => string) => {
  // `01` to `04` are ISO 8859-5 to 8859-8.
  const page = /^0[1-4]$/u.test(table)
    ? `iso-8859-${Number(table) + 4}`
    : iconv.encodingExists(table) && !/^\s*\d*\s*$/u.test(table)
      ? table
      : undefined
  return page === undefined ? iso6937 : (bytes) => iconv.decode(Buffer.from(bytes), page).normalize("NFC")
}

/** Decodes ISO 6937. An accent precedes its letter there. */
const iso6937 = (bytes: Uint8Array): string => {
  let text = ""
  let accent = ""
  for (const byte of bytes) {
    const char = byte < 0xa0 ? String.fromCharCode(byte) : (upper[byte - 0xa0] ?? "\0")
    if (char === "\0") continue
    if (/\p{M}/u.test(char)) {
      accent = char
      continue
    }
    text += /\p{L}/u.test(char) ? char + accent : char
    accent = ""
  }
  return text.normalize("NFC")
}
