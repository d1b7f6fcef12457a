/** Parses a source file of any supported format into a script, or returns every fault with its line. */
import { Array, Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import {
  Narration,
  ScriptRejected,
  Subtitle,
  type Script,
  type Notice,
  faultAt,
  type ScriptFault
} from "../domain/speech/Cue.ts"
import { readAss } from "./formats/Ass.ts"
import { decodeText } from "./bytes/TextDecoding.ts"
import { readSpeechJson } from "./formats/SpeechJson.ts"
import { readSrtVtt } from "./formats/cues/SrtVtt.ts"
import { parseTiming } from "./formats/cues/TimingLine.ts"
import { readScc } from "./formats/Scc.ts"
import { isEbuStl, readEbuStl } from "./formats/EbuStl.ts"
import { isLrc, readLrc } from "./formats/lines/Lrc.ts"
import * as Lines from "./formats/lines/CaptionLines.ts"
import { isSami, readSami } from "./formats/lines/Sami.ts"
import { isQuickTimeText, isSubViewer1, isTmPlayer, readStamped } from "./formats/lines/StampedText.ts"
import { isDialogueHeader } from "./formats/tables/DialogueColumns.ts"
import type { TableOptions } from "./formats/tables/DialogueList.ts"
import { readDialogueCsv } from "./formats/tables/DialogueCsv.ts"
import { readOffice } from "./formats/tables/Office.ts"
import { isZip } from "./formats/tables/OfficeZip.ts"
import { plausibleTimes } from "./formats/timed/PlausibleTimes.ts"
import { destroyedIn, remarksIn, withoutFences } from "./markup/ForeignMarkup.ts"
import { fromStart, type ReadSubtitle } from "./formats/timed/TimedLines.ts"
import { isTimecodeText, readTimecodeText } from "./formats/timed/TimecodeText.ts"
import { readTtml } from "./formats/xml/Ttml.ts"
import { endingOf, unreadByName, unreadByText } from "./formats/UnreadFormats.ts"
import { isUtf8 } from "./bytes/Utf8.ts"
import { markdownBlocks } from "./formats/prose/Markdown.ts"
import { textBlocks } from "./formats/prose/PlainText.ts"

/** Options for reading a file. The rates are for formats that count frames without stating their rate. */
export interface ReadOptions extends TableOptions {
  /** The extension that determines the format, if the file's name does not. */
  readonly ending?: string | undefined
  /** The character encoding; by default it is detected. It takes precedence over a byte order mark. */
  readonly encoding?: string | undefined
}

/**
 * Parses a file in one of `scriptFormats`. If the content clearly is in another of these formats than the extension
 * suggests, the content decides.
 */
export const readScript = (
  bytes: Uint8Array,
  file: string,
  options: ReadOptions = {}
): Either.Either<Script, ScriptRejected> =>
  Either.mapBoth(readBytes(bytes, file, options), {
    onLeft: (faults) => ScriptRejected.make({ file, faults: atMost(listed, faults) }),
    onRight: (script) => {
      if (script._tag === "Narration") return script
      const timed = plausibleTimes(script)
      return withNotices(timed, [...timed.notices, ...destroyedIn(timed.cues), ...remarksIn(timed.cues)])
    }
  })

const readBytes = (bytes: Uint8Array, file: string, options: ReadOptions): Read =>
  isEbuStl(bytes)
    ? readEbuStl(bytes, options)
    : (readOffice(bytes, options, (text) => readText(text, "document.txt", options)) ??
      (/^(?:docx|xlsx)$/u.test(endingOf(file)) && !isZip(bytes)
        ? refused("", `the file is not a .${endingOf(file)} document, or is damaged; save it again`)
        : readDecoded(bytes, file, options)))

const readDecoded = (bytes: Uint8Array, file: string, options: ReadOptions): Read =>
  Either.flatMap(
    Either.mapLeft(
      decodeText(bytes, options.encoding ?? declaredEncoding(bytes), options.language),
      (fault): NonEmptyReadonlyArray<ScriptFault> => {
        const unread = unreadByName(file)
        return [unread === undefined ? fault : faultOf("", unread)]
      }
    ),
    (decoded) => {
      const isProse = ["", "txt", "text", "md", "markdown"].includes(options.ending ?? endingOf(file))
      const isTimed = !isProse || /\d\s*-->\s*\d/u.test(decoded.text)
      const { text, notices } = isTimed ? withoutFences(decoded.text) : decoded
      return Either.map(readText(text, file, options), (script) =>
        withNotices(script, [...new Set([...decoded.notices, ...notices]), ...script.notices])
      )
    }
  )

/** Maximum number of errors listed one by one; one line counts the rest. */
const listed = 10

const atMost = (
  count: number,
  faults: NonEmptyReadonlyArray<ScriptFault>
): NonEmptyReadonlyArray<ScriptFault> => {
  const [first, ...others] = faults
  const next = others[count - 1]
  return next === undefined
    ? faults
    : [
        first,
        ...others.slice(0, count - 1),
        faultAt(next.line, "", `and ${faults.length - count} more like these`)
      ]
}

type Read = Either.Either<Script, NonEmptyReadonlyArray<ScriptFault>>

const readText = (text: string, file: string, options: ReadOptions): Read => {
  const ending = options.ending ?? endingOf(file)
  const unread = unreadByText(text, file)
  if (unread !== undefined) return refused("", unread)
  const content = textFormats[contentOf(text, ending) ?? ""]
  const format = Object.values(textFormats).find(({ endings }) => endings.includes(ending || "txt"))
  if (format !== undefined) return (content ?? format).read(text, options)
  const named = unreadByName(file)
  if (named !== undefined) return refused("", named)
  if (content !== undefined) return content.read(text, options)
  return refused(
    file,
    "is not a supported file type; use .srt, .vtt, .ass or .ttml for subtitles, .csv or .xlsx for a dialogue list, .txt or .md for narration"
  )
}

/** A format: its name, the extensions of its files, and how a text is read. */
interface Format {
  readonly name: string
  readonly endings: ReadonlyArray<string>
  readonly read: (text: string, options: ReadOptions) => Read
}

const fromItsStart =
  (read: (text: string, options: ReadOptions) => ReadSubtitle): Format["read"] =>
  (text, options) =>
    fromStart(read(text, options), text, options)

const cuesAs = (format: "srt" | "vtt" | "sbv") =>
  fromItsStart((text, options) => readSrtVtt(text, format, options))

/** The formats of texts. Those without extensions are recognized by their content. */
const textFormats: Readonly<Record<string, Format>> = {
  srt: { name: "SubRip", endings: ["srt"], read: cuesAs("srt") },
  vtt: { name: "WebVTT", endings: ["vtt"], read: cuesAs("vtt") },
  sbv: { name: "YouTube SBV, SubViewer 2", endings: ["sbv", "sub"], read: cuesAs("sbv") },
  ass: { name: "ASS, SSA", endings: ["ass", "ssa"], read: fromItsStart(readAss) },
  ttml: { name: "TTML and its profiles", endings: ["ttml", "dfxp", "itt", "imscr", "xml"], read: readTtml },
  scc: { name: "Scenarist closed captions", endings: ["scc"], read: readScc },
  sami: { name: "SAMI", endings: ["smi", "sami"], read: readSami },
  microdvd: { name: "MicroDVD", endings: [], read: Lines.readMicroDvd },
  mpl: { name: "MPL2", endings: ["mpl"], read: Lines.readMpl2 },
  stl: { name: "Spruce STL", endings: ["stl"], read: Lines.readSpruceStl },
  lrc: { name: "LRC lyrics", endings: ["lrc"], read: readLrc },
  stamped: { name: "SubViewer 1, TMPlayer, QuickTime text", endings: [], read: readStamped },
  labels: { name: "Audacity labels", endings: [], read: Lines.readLabelTrack },
  timecodes: { name: "text with timecodes", endings: [], read: readTimecodeText },
  json: { name: "Whisper and other transcripts", endings: ["json"], read: fromItsStart(readSpeechJson) },
  csv: { name: "dialogue list", endings: ["csv", "tsv"], read: readDialogueCsv },
  text: { name: "text", endings: ["txt", "text"], read: (text) => readProse(text, "text") },
  markdown: { name: "Markdown", endings: ["md", "markdown"], read: (text) => readProse(text, "markdown") }
}

/** Every format, by name, with the extensions of its files. */
export const scriptFormats: ReadonlyArray<Pick<Format, "name" | "endings">> = [
  ...Object.values(textFormats),
  { name: "EBU STL", endings: ["stl"] },
  { name: "Excel, as dialogue list", endings: ["xlsx"] },
  { name: "Word", endings: ["docx"] }
]

/** The supported file extensions, without their dots. */
export const scriptEndings = Array.dedupe(scriptFormats.flatMap(({ endings }) => endings))

/** Returns the key of the format that matches the content, if the content clearly differs from the file's extension. */
const contentOf = (text: string, ending: string): string | undefined => {
  const start = text.trimStart()
  if (/^WEBVTT(?:\s|$)/u.test(start)) return "vtt"
  if (/^\[Script Info\]/iu.test(start)) return "ass"
  if (isSami(start.replace(/^<\?xml[^>]*>\s*/iu, ""))) return "sami"
  if (/^<\?xml|^<(?:\w+:)?tt[\s>]/iu.test(start)) return "ttml"
  if (/^Scenarist_SCC V/u.test(start)) return "scc"
  if (begins(start, Lines.isMicroDvd)) return "microdvd"
  if (begins(start, Lines.isMpl2)) return "mpl"
  if (begins(start, isLrc)) return "lrc"
  if (Lines.isSpruceStl(start)) return "stl"
  if (isSubViewer1(start, ending) || isQuickTimeText(start)) return "stamped"
  if (ending === "txt" || ending === "text" || ending === "") {
    if (isTmPlayer(start)) return "stamped"
    if (begins(start, Lines.isLabelTrack)) return "labels"
    if (isDialogueHeader(start.split("\n", 2).map((line) => line.split("\t")))) return "csv"
    if (begins(start, isTimecodeText)) return "timecodes"
  }
  if (ending === "sbv" || ending === "sub") return undefined
  const lines = start.split("\n", 2)
  const timed = lines.findIndex((line) => parseTiming(line, "srt").kind === "time")
  if (timed !== 0 && (timed !== 1 || !/^\d+\s*$/u.test(lines[0] ?? ""))) return undefined
  // A WebVTT file may lack its header. Times without an arrow make it SBV, which the SRT reader accepts.
  return ending === "vtt" && lines[timed]?.includes(">") === true ? undefined : "srt"
}

/** Whether a text begins like a format, or its second and third lines do: the first may be damaged. */
const begins = (text: string, isLike: (text: string) => boolean): boolean => {
  const [second, third] = [1, 2].map((count) => text.split("\n", count).join("\n").length + 1)
  return isLike(text) || [second, third].every((at) => isLike(text.slice(at)))
}

const faultOf = (found: string, expected: string): ScriptFault =>
  faultAt(1, (found.split("\n", 1)[0] ?? "").slice(0, 60), expected)

const refused = (found: string, expected: string): Read => Either.left([faultOf(found, expected)])

const withNotices = (script: Script, notices: ReadonlyArray<Notice>): Script =>
  notices.length === script.notices.length
    ? script
    : script._tag === "Subtitle"
      ? Subtitle.make({ ...script, notices })
      : Narration.make({ ...script, notices })

const declaration = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z][\w.:-]{0,30})["']/u

/** Returns the encoding in an XML declaration; undefined if the bytes are UTF-8 or the file declares none. */
const declaredEncoding = (bytes: Uint8Array): string | undefined => {
  const [first, second] = bytes
  if (first === undefined || second === undefined || first > 127 || first === 0 || second === 0)
    return undefined
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1")
  const named = declaration.exec(head)?.[1]
  // A UTF-8 or UTF-16 declaration is wrong here: the bytes are neither. The caller then detects the encoding.
  return named === undefined || /^utf/iu.test(named) || isUtf8(bytes) ? undefined : named
}

/** Parses a file's text; fails if it contains no words. */
const readProse = (
  text: string,
  format: "text" | "markdown"
): Either.Either<Narration, NonEmptyReadonlyArray<ScriptFault>> => {
  const notices: Array<Notice> = []
  const blocks = format === "markdown" ? markdownBlocks(text, notices) : textBlocks(text, notices)
  return blocks.some((block) => /[\p{L}\p{N}]/u.test(block.text))
    ? Either.right(Narration.make({ format, blocks, notices }))
    : Either.left([faultAt(1, "", "no words to speak; expected text in paragraphs")])
}
