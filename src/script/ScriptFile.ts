/** Parses a source file of any supported format into a script, or returns every fault with its line. */
import { Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { Narration, type Script, ScriptFault, ScriptRejected, Subtitle } from "../domain/speech/Cue.ts"
import { readAss } from "./formats/Ass.ts"
import type { FrameRateWritten } from "../domain/time/FrameRate.ts"
import { declaredEncoding } from "./bytes/DeclaredEncoding.ts"
import { type Decoded, decodeText } from "./bytes/TextDecoding.ts"
import { readProse } from "./formats/prose/Prose.ts"
import { readSpeechJson } from "./formats/SpeechJson.ts"
import { readSrtVtt } from "./formats/cues/SrtVtt.ts"
import { parseTiming } from "./formats/cues/TimingLine.ts"
import { readTtml } from "./formats/xml/Ttml.ts"
import { endingOf, unreadByName, unreadByText } from "./formats/UnreadFormats.ts"

/** Options for reading a file. */
export interface ReadOptions {
  /** The character encoding; by default it is detected. A byte order mark in the file takes precedence. */
  readonly encoding?: string | undefined
  /** The timecode at which the film begins, such as `10:00:00:00`. By default it is detected. */
  readonly start?: string | undefined
  /** Frames per second, for formats that count frames without saying at which rate. */
  readonly frameRate?: FrameRateWritten | undefined
  /** The spoken language as a tag; chooses among the languages of a DAPT script. */
  readonly language?: string | undefined
}

/**
 * Parses a file: `.srt`, `.vtt`, `.sbv`, `.sub` with times, `.ass`, `.ssa`, TTML and Whisper `.json` as subtitles;
 * `.txt` and `.md` as narration. If the content clearly is another of these formats than the extension says, the content
 * decides.
 */
export const readScript = (
  bytes: Uint8Array,
  file: string,
  options: ReadOptions = {}
): Either.Either<Script, ScriptRejected> =>
  Either.flatMap(
    Either.mapLeft(
      decodeText(bytes, options.encoding ?? declaredEncoding(bytes)),
      (fault): NonEmptyReadonlyArray<ScriptFault> => {
        const unread = unreadByName(file)
        return [unread === undefined ? fault : faultOf("", unread)]
      }
    ),
    (decoded) => Either.map(readText(decoded.text, file, options), (script) => withNotices(script, decoded))
  ).pipe(Either.mapLeft((faults) => ScriptRejected.make({ file, faults: atMost(listed, faults) })))

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
        ScriptFault.make({
          line: next.line,
          found: "",
          expected: `and ${faults.length - count} more like these`
        })
      ]
}

type Read = Either.Either<Script, NonEmptyReadonlyArray<ScriptFault>>

const readText = (text: string, file: string, options: ReadOptions): Read => {
  const ending = endingOf(file)
  const unread = unreadByText(text, file)
  if (unread !== undefined) return refused("", unread)
  const content = readers[contentOf(text, ending) ?? ""]
  const reader = readers[ending === "" ? "txt" : ending]
  if (reader !== undefined) return (content ?? reader)(text, options)
  const named = unreadByName(file)
  if (named !== undefined) return refused("", named)
  return refused(
    file,
    "is not a supported file type; use .srt, .vtt, .ass or .ttml for subtitles, .txt or .md for narration"
  )
}

const readers: Readonly<Record<string, (text: string, options: ReadOptions) => Read>> = {
  srt: (text) => readSrtVtt(text, "srt"),
  vtt: (text) => readSrtVtt(text, "vtt"),
  sbv: (text) => readSrtVtt(text, "sbv"),
  sub: (text) => readSrtVtt(text, "sbv"),
  ass: readAss,
  ssa: readAss,
  txt: (text) => readProse(text, "text"),
  text: (text) => readProse(text, "text"),
  md: (text) => readProse(text, "markdown"),
  markdown: (text) => readProse(text, "markdown"),
  json: readSpeechJson,
  ttml: readTtml,
  dfxp: readTtml,
  itt: readTtml,
  xml: readTtml
}

/** The supported file extensions, without their dots. */
export const scriptEndings: ReadonlyArray<string> = Object.keys(readers)

/** Returns the extension that matches the content, if the content clearly differs from the file's extension. */
const contentOf = (text: string, ending: string): string | undefined => {
  const start = text.trimStart()
  if (/^WEBVTT(?:\s|$)/u.test(start)) return "vtt"
  if (/^\[Script Info\]/iu.test(start)) return "ass"
  if (/^<\?xml|^<(?:\w+:)?tt[\s>]/iu.test(start)) return "ttml"
  if (ending === "sbv" || ending === "sub") return undefined
  const lines = start.split("\n", 2)
  const timed = lines.findIndex((line) => parseTiming(line, "srt").kind === "time")
  if (timed !== 0 && (timed !== 1 || !/^\d+\s*$/u.test(lines[0] ?? ""))) return undefined
  // A WebVTT file may lack its header. Times without an arrow make it SBV, which the SRT reader accepts.
  return ending === "vtt" && lines[timed]?.includes(">") === true ? undefined : "srt"
}

const faultOf = (found: string, expected: string): ScriptFault =>
  ScriptFault.make({ line: 1, found: (found.split("\n", 1)[0] ?? "").slice(0, 60), expected })

const refused = (found: string, expected: string): Read => Either.left([faultOf(found, expected)])

const withNotices = (script: Script, decoded: Decoded): Script => {
  if (decoded.notices.length === 0) return script
  const notices = [...decoded.notices, ...script.notices]
  return script._tag === "Subtitle"
    ? Subtitle.make({ ...script, notices })
    : Narration.make({ ...script, notices })
}
