/** Parses SAMI captions (SMI), an HTML-like format: `<SYNC Start=1000><P Class=ENCC>Hello`. */
import { noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
import { primaryLanguage } from "../../../domain/values/Ids.ts"
import { plainText } from "../../markup/CueMarkup.ts"
import type { LostBlock } from "../cues/LostBlocks.ts"
import {
  mediaTime,
  type ReadSubtitle,
  subtitleOf,
  type TimedLine,
  type TimedOptions,
  unreadLine
} from "../timed/TimedLines.ts"

/** A paragraph of a SYNC. */
interface SamiParagraph {
  readonly line: number
  readonly start: number
  readonly end: number | undefined
  /** Its class in lower case, which names a language; empty if it has none. */
  readonly track: string
  /** Whether it holds the name of the speaker of the next one (`ID=Source`). */
  readonly isSource: boolean
  readonly text: string
  /** The tag of a SYNC whose time cannot be read. */
  readonly damaged: string | undefined
}

/** Whether a text begins like SAMI. */
export const isSami = (text: string): boolean => /^<SAMI[\s>]/iu.test(text.trimStart())

/** Parses a file's text. If there are several languages, reads the job's, else the first one that has text. */
export const readSami = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const notices: Array<Notice> = []
  const paragraphs = paragraphsIn(text)
  const tracks = [
    ...new Set(paragraphs.filter((one) => one.text !== "" && !one.isSource).map(({ track }) => track))
  ]
  const languages = languagesIn(text)
  const wanted = options.language === undefined ? undefined : primaryLanguage(options.language)
  const chosen =
    tracks.find((track) => wanted !== undefined && languages.get(track) === wanted) ??
    tracks.find((track) => wanted !== undefined && !languages.has(track) && isNamedAfter(track, wanted)) ??
    tracks[0]
  if (chosen !== undefined && tracks.length > 1)
    notices.push(
      noticeAt(1, `read the class "${chosen}" of ${tracks.join(", ")}; set "language" to choose another`)
    )
  const own = paragraphs.filter(({ track, isSource }) => track === chosen || track === "" || isSource)
  const sorted = [...own].sort((a, b) => a.start - b.start)
  const lines: Array<TimedLine | LostBlock> = []
  let speaker: string | undefined
  sorted.forEach(({ line, start, end, text: words, isSource, damaged }, at) => {
    if (damaged !== undefined) {
      lines.push(unreadLine(line, damaged, "expected a time such as Start=1000, in milliseconds", words))
      return
    }
    if (isSource) {
      speaker = words === "" ? undefined : words
      return
    }
    const next = sorted.slice(at + 1, at + 10).find((one) => one.start > start && !one.isSource)
    lines.push({ line, start, end: end ?? next?.start, turns: [{ speaker, text: words }] })
  })
  const expected = "no caption with text found in the SAMI file; expected <SYNC Start=1000><P>Hello"
  return subtitleOf(lines, notices, mediaTime, options, expected)
}

/** Whether a class has the usual name of a language, or of its country: `ENCC`, `ENUSCC`, `KRCC`. */
const isNamedAfter = (track: string, language: string): boolean =>
  /^[a-z]{2,5}cc$/u.test(track) &&
  [language, countries.get(language)].some((name) => name === track.slice(0, 2))

const countries = new Map(
  "cs=cz da=dk el=gr ja=jp ko=kr sv=se uk=ua vi=vn zh=cn"
    .split(" ")
    .map((pair) => [pair.slice(0, 2), pair.slice(3)])
)

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "iu").exec(tag)
  return found === null ? undefined : (found[1] ?? found[2] ?? found[3] ?? "").trim()
}

/** A SYNC, also with a misspelled name or without its closing bracket, and what follows it. */
const [sync, attributes] = ["<\\s*(?:SYNC|\\w+(?=\\s+Start\\s*=))", "(?:\\s+[\\w-]+\\s*=\\s*[^\\s<>]+)*"]
const syncs = new RegExp(`${sync}(?:([^<>]*)>|(${attributes}))((?:(?!${sync})[^])*)`, "giu")
const paragraphTag = new RegExp(`^<P(?:(\\s[^<>]*)?>|(${attributes}))`, "iu")

const paragraphsIn = (text: string): ReadonlyArray<SamiParagraph> => {
  const found: Array<SamiParagraph> = []
  // A tag at the end that is cut off is not text.
  const body = withoutComments(text).replace(/<\/?[a-z][^<>]{0,200}$/iu, "")
  let line = 1
  let counted = 0
  let before = 0
  for (const block of body.matchAll(syncs)) {
    const [, whole, bare, inside = ""] = block
    const tag = whole ?? bare ?? ""
    for (let at = counted; at < block.index; at++) if (body.charCodeAt(at) === 10) line++
    counted = block.index
    const [, time] = /^(-?\d+(?:\.\d+)?)(?:ms)?$/iu.exec(attribute(tag, "start") ?? "") ?? []
    const damaged = time === undefined ? `<SYNC${tag}>` : undefined
    const start = time === undefined ? before : Number(time)
    before = start
    const stated = Number(attribute(tag, "end"))
    const end = stated > start ? stated : undefined
    const parts = inside.replace(/<\/(?:SYNC|BODY|SAMI|P)\s*>/giu, "").split(/(?=<P(?![a-z]))/iu)
    for (const part of parts) {
      const open = paragraphTag.exec(part)
      if (open === null && (part.trim() === "" || parts.length > 1)) continue
      const words = part
        .slice(open?.[0].length ?? 0)
        .replace(/\s+/gu, " ")
        .replace(/\s*(<br\s*\/?>)\s*/giu, "$1")
      found.push({
        line,
        start,
        end,
        damaged,
        track: attribute(open?.[1] ?? open?.[2] ?? "", "class")?.toLowerCase() ?? "",
        isSource: /^source$/iu.test(attribute(open?.[1] ?? open?.[2] ?? "", "id") ?? ""),
        text: plainText(words)
      })
    }
  }
  return found
}

/** Blanks out comments, keeping line breaks. */
const withoutComments = (text: string): string => {
  let kept = ""
  let at = 0
  for (;;) {
    const open = text.indexOf("<!--", at)
    const close = open < 0 ? -1 : text.indexOf("-->", open + 4)
    if (close < 0) return kept + text.slice(at)
    kept += text.slice(at, open) + text.slice(open, close + 3).replace(/[^\n]/gu, "")
    at = close + 3
  }
}

/** The languages of classes, in lower case, as the style sheet names them: `.ENCC { lang: en-US; }`. */
const languagesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.slice(0, 100_000).matchAll(/\.([\w-]{1,60})\s*\{([^{}]{0,2000})\}/gu)].flatMap(
      ([, name = "", rules = ""]) => {
        const tag = /\blang\s*:\s*([a-z]{2,3})\b/iu.exec(rules)?.[1]
        return tag === undefined ? [] : [[name.toLowerCase(), tag.toLowerCase()] as const]
      }
    )
  )
