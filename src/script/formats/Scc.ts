/** Parses Scenarist closed captions (SCC): CEA-608 as hexadecimal pairs behind timecodes. */
import { noticeAt, type Notice } from "../../domain/speech/Cue.ts"
import { frameRateNamed } from "../../domain/time/FrameRate.ts"
import { excerpt } from "../markup/CueLines.ts"
import { millisOfTimecode, timecodeFields, type FrameClock } from "./timed/FrameClock.ts"
import type { LostBlock } from "./cues/LostBlocks.ts"
import { subtitleOf, type ReadSubtitle, type TimedOptions, unreadLine } from "./timed/TimedLines.ts"

const codeLine = /^\s*(\d{1,2}[:;]\d{2}[:;]\d{2}[:;.,]\d{1,2})\s+((?:[\da-f]{4}\b\s*)*)(.*)$/iu

/** Parses a file's text. Reads the first channel that has captions. */
export const readScc = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const pairs: Array<CaptionPair> = []
  const notices: Array<Notice> = []
  const lost: Array<LostBlock> = []
  const named = options.frameRate === undefined ? undefined : frameRateNamed(options.frameRate)
  const rate = named?.rate.value ?? 30_000 / 1001
  const nominal = named?.nominal ?? 30
  const plain: FrameClock = { rate, nominal }
  const dropping: FrameClock = { rate, nominal, ...(nominal % 30 === 0 ? { drop: "ntsc" } : {}) }
  let clock = plain
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    if (written.trim() === "" || /^Scenarist_SCC/iu.test(written.trim())) return
    const [, time = "", codes = "", rest = ""] = codeLine.exec(written) ?? []
    const fields = timecodeFields(time)
    if (fields === undefined) {
      lost.push(unreadLine(line, written, "expected a timecode such as 00:00:01;00 and codes"))
      return
    }
    if (rest.trim() !== "")
      notices.push(noticeAt(line, `skipped "${excerpt(rest)}": expected codes of four hexadecimal digits`))
    const own = /[;,]/u.test(time) || named?.drop === true ? dropping : plain
    if (pairs.length === 0) clock = own
    const start = millisOfTimecode(fields, own)
    codes
      .split(/\s+/u)
      .filter((code) => code !== "")
      .forEach((code, place) => {
        const value = Number.parseInt(code, 16)
        pairs.push({
          line,
          at: start + (place * 1000) / own.rate,
          first: (value >> 8) & 0x7f,
          second: value & 0x7f
        })
      })
  })
  const first = decodeCaptions(pairs, 1)
  const captions = first.length > 0 ? first : decodeCaptions(pairs, 2)
  const lines = captions.map(({ line, start, end, text: words }) => ({
    line,
    start,
    end,
    turns: [{ speaker: undefined, text: words }]
  }))
  const expected =
    "no caption with text found in the SCC file; expected lines such as 00:00:01;00 9420 9420 c8e5 6c6c efae 942f"
  return subtitleOf([...lines, ...lost], notices, { isTimecode: true, clock }, options, expected)
}

/**
 * Decodes CEA-608 captions: pop-on, paint-on and roll-up, one channel (47 CFR 79.101,
 * https://www.law.cornell.edu/cfr/text/47/79.101).
 */

/** Two bytes, without parity, at a frame. */
interface CaptionPair {
  /** Line in the file, from 1. */
  readonly line: number
  /** Milliseconds. */
  readonly at: number
  readonly first: number
  readonly second: number
}

/** A caption as shown. */
interface ShownCaption {
  readonly line: number
  readonly start: number
  readonly end: number | undefined
  readonly text: string
}

/** Characters by column, by row. */
type Page = Map<number, Map<number, string>>

const pageText = (page: Page): string =>
  [...page]
    .sort(([a], [b]) => a - b)
    .map(([, row]) => rowText(row))
    .filter((row) => row !== "")
    .join("\n")

const rowText = (row: ReadonlyMap<number, string>): string => {
  const cells: Array<string> = []
  for (const [column, char] of row) cells[column] = char
  return Array.from(cells, (cell: string | undefined) => cell ?? " ")
    .join("")
    .replace(/\s+/gu, " ")
    .trim()
}

/** The rows of preamble codes, by the low bits of the first byte and then by bit 0x20 of the second. */
const rows = [11, 11, 1, 2, 3, 4, 12, 13, 14, 15, 5, 6, 7, 8, 9, 10]

/** Decodes the captions of a channel: 1 for the first of a field, 2 for the second. */
const decodeCaptions = (pairs: Iterable<CaptionPair>, channel: 1 | 2): ReadonlyArray<ShownCaption> => {
  const captions: Array<ShownCaption> = []
  let hidden: Page = new Map()
  let shown: Page = new Map()
  let open: { readonly line: number; readonly start: number } | undefined
  let mode: "pop" | "paint" | "roll" | "text" | undefined
  let row = 15
  let column = 0
  let isOurs = channel === 1
  let isData = false
  let before = { code: 0, at: -1 }

  const close = (end: number | undefined): void => {
    const text = pageText(shown)
    if (open !== undefined && text !== "") captions.push({ ...open, end, text })
    open = undefined
  }
  const put = (char: string, pair: CaptionPair): void => {
    if (char === "" || mode === "text" || mode === undefined) return
    const page = mode === "pop" ? hidden : shown
    if (mode !== "pop") open ??= { line: pair.line, start: pair.at }
    const cells = page.get(row) ?? new Map<number, string>()
    page.set(row, cells)
    cells.set(column, char)
    column = Math.min(column + 1, 127)
  }
  const back = (): void => {
    column = Math.max(0, column - 1)
    const page = mode === "pop" ? hidden : shown
    page.get(row)?.delete(column)
  }
  const turnTo = (next: "paint" | "roll", { at }: CaptionPair): void => {
    close(at)
    shown = new Map()
    mode = next
    row = 15
    column = 0
  }
  const obey = (code: number, pair: CaptionPair): void => {
    const { line, at } = pair
    if (code === 0x20) mode = "pop"
    else if (code === 0x21) back()
    else if (code === 0x24) {
      const cells = (mode === "pop" ? hidden : shown).get(row)
      for (const place of [...(cells?.keys() ?? [])]) if (place >= column) cells?.delete(place)
    } else if (code >= 0x25 && code <= 0x27) turnTo("roll", pair)
    else if (code === 0x29) turnTo("paint", pair)
    else if (code === 0x2a || code === 0x2b) mode = "text"
    else if (code === 0x2c || (code === 0x2d && mode === "roll")) {
      close(at)
      shown = new Map()
      if (code === 0x2d) column = 0
    } else if (code === 0x2e) hidden = new Map()
    else if (code === 0x2f) {
      close(at)
      ;[shown, hidden] = [hidden, new Map()]
      mode = "pop"
      open = { line, start: at }
    }
  }

  for (const pair of pairs) {
    const { first, second, at } = pair
    // Extended data services (XDS) are between 0x01 to 0x0e and 0x0f, or the next control code.
    if (first > 0 && first < 0x10) {
      isData = first !== 0x0f
      continue
    }
    if (first < 0x10 || first > 0x1f) {
      before = { code: 0, at }
      if (!isOurs || isData) continue
      put(basicCharacter(first), pair)
      put(basicCharacter(second), pair)
      continue
    }
    isData = false
    const code = (first << 8) | second
    // Control codes are sent twice.
    const isRepeat = before.code === code
    before = { code: isRepeat ? 0 : code, at }
    if (isRepeat) continue
    isOurs = (first & 0x08) === 0 ? channel === 1 : channel === 2
    if (!isOurs) continue
    const plain = first & 0x17
    if (second >= 0x40) {
      row = rows[(plain - 0x10) * 2 + ((second & 0x20) >> 5)] ?? row
      if (mode === "roll") row = 15
      column = (second & 0x10) === 0 ? 0 : (second & 0x0e) * 2
    } else if ((plain === 0x14 || plain === 0x15) && second >= 0x20 && second <= 0x2f) obey(second, pair)
    else if (plain === 0x17 && second >= 0x21 && second <= 0x23) column += second - 0x20
    else if (plain === 0x11 && second >= 0x30) put(special[second - 0x30] ?? "", pair)
    else if (plain === 0x11 && second >= 0x20) put(" ", pair)
    else if (plain === 0x12 || plain === 0x13) {
      back()
      put((plain === 0x12 ? spanish : german)[second - 0x20] ?? "", pair)
    }
  }
  close(undefined)
  return captions
}

/** The bytes that are other characters than in ASCII, and these characters. */
const changed = "'*\\^_`{|}~\u007f"
const basic = "’áéíóúç÷Ññ█"

/** Of the pairs 0x11 0x30 to 0x3f; then of 0x12 and 0x13 0x20 to 0x3f, which replace the character before them. */
const special = "®°½¿™¢£♪à\u00a0èâêîôû"
const spanish = "ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»"
const german = "ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤¦ÅåØø┌┐└┘"

/** Returns a character of one byte; empty for bytes that are not characters. */
const basicCharacter = (byte: number): string =>
  byte < 0x20 ? "" : (basic[changed.indexOf(String.fromCharCode(byte))] ?? String.fromCharCode(byte))
