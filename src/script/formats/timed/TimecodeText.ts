/**
 * Parses texts with two timecodes before each caption, on its line or above it, as Adobe Encore, Avid and Premiere
 * export them: `00:00:01:00 00:00:03:12 Hello`.
 */
import { clockIn, guessedClock, knownClock, timecodeTime } from "./FrameClock.ts"
import { isTimelike, type ReadSubtitle, subtitleOf, type TimedOptions, unreadLine } from "./TimedLines.ts"

const timecode = "\\d{1,2}[:;]\\d{2}[:;]\\d{2}[:;.]\\d{2}"
const form = new RegExp(
  `^\\s*(?:\\d{1,6}[.:]?\\s+)?(${timecode})\\s*(?:[-–→,]{1,3}>?\\s*|\\s)(${timecode})(?:\\s+(.*))?$`,
  "u"
)

/** Hundredths of a second before a comma are those of YouTube and SubViewer. */
const hundredths = /\.\d{2}\s*,/u

/** Whether a text begins with two timecodes, below the notes and tags of Avid. */
export const isTimecodeText = (text: string): boolean => {
  const first = text
    .slice(0, 5000)
    .split("\n")
    .find((line) => line.trim() !== "" && !aside.test(line))
  return first !== undefined && form.test(first) && !hundredths.test(first)
}

/** A note or a tag of Avid. */
const aside = /^\s*(?:@.*|<(?:begin|end) subtitles>)\s*$/iu

/** Parses a file's text at the rate of the job or its film, else at 25. */
export const readTimecodeText = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const clock = clockIn(text, knownClock(options))
  const found: Array<{ line: number; times?: { start: number; end: number }; rows: Array<string> }> = []
  text.split("\n").forEach((written, index) => {
    const [, from = "", to = "", words = ""] = form.exec(written) ?? []
    const [start, end] = [timecodeTime(from, clock), timecodeTime(to, clock)]
    if (start !== undefined && end !== undefined)
      found.push({ line: index + 1, times: { start, end }, rows: [words.trim()] })
    else if (isTimelike(written.replace(/^\s*\d{1,6}[.:]?\s+/u, "")))
      found.push({ line: index + 1, rows: [written] })
    else if (!aside.test(written)) found.at(-1)?.rows.push(written.trim())
  })
  const lines = found.map(({ line, times, rows }) =>
    times === undefined
      ? unreadLine(
          line,
          rows.join(" "),
          "expected two timecodes such as 00:00:01:00 00:00:03:12",
          rows.join(" ").replace(/^(?:\S*\d[:;]\S*\s+)+/u, "")
        )
      : { line, ...times, turns: [turnOf(rows)] }
  )
  const programme = { isTimecode: true, clock }
  return subtitleOf(lines, guessedClock(options), programme, options, "no text behind the timecodes")
}

/** The words of a caption. Premiere writes its speaker above them. */
const turnOf = (
  rows: ReadonlyArray<string>
): { readonly speaker: string | undefined; readonly text: string } => {
  const said = rows.filter((row) => row !== "")
  const [name = "", ...words] = said
  const hasSpeaker = words.length > 0 && /^(?:speaker|sprecher|unknown)(?: \d{1,3})?$/iu.test(name)
  return hasSpeaker
    ? { speaker: name, text: words.join("\n") }
    : { speaker: undefined, text: said.join("\n") }
}
