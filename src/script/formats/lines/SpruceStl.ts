/** Parses Spruce STL, the text format of DVD authoring tools: `00:00:01:00 , 00:00:02:12 , Hello | there`. */
import { clockIn, guessedClock, knownClock, millisOfTimecode, timecodeFields } from "../timed/FrameClock.ts"
import type { LostBlock } from "../cues/LostBlocks.ts"
import {
  type ReadSubtitle,
  subtitleOf,
  type TimedLine,
  type TimedOptions,
  unreadLine
} from "../timed/TimedLines.ts"

const timecode = "\\d{1,2}[:;]\\d{2}[:;]\\d{2}[:;.]\\d{2}"
const form = new RegExp(`^\\s*(${timecode})\\s*,\\s*(${timecode})\\s*,(.*)$`, "u")
const beginning = new RegExp(`^(?:\\s*(?://|\\$)[^\\n]*\\n)*\\s*${timecode}\\s*,\\s*${timecode}\\s*,`, "u")

/** Whether a text begins like Spruce STL: comments and settings, then a line with two timecodes. */
export const isSpruceStl = (text: string): boolean => beginning.test(text.slice(0, 20_000))

/** Parses a file's text at the rate of the job or its film, else at 25. */
export const readSpruceStl = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const clock = clockIn(text, knownClock(options))
  const lines: Array<TimedLine | LostBlock> = []
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    if (/^\s*(?:\/\/|\$|$)/u.test(written)) return
    const [, from = "", to = "", words = ""] = form.exec(written) ?? []
    const [start, end] = [timecodeFields(from), timecodeFields(to)]
    if (start === undefined || end === undefined) {
      const expected = "expected a line such as 00:00:01:00 , 00:00:02:12 , Hello"
      lines.push(unreadLine(line, written, expected, written.split(",").slice(2).join(",") || written))
      return
    }
    const said = words
      .replace(/\^[BIU]/gu, "")
      .split("|")
      .map((row) => row.trim())
      .join("\n")
    lines.push({
      line,
      start: millisOfTimecode(start, clock),
      end: millisOfTimecode(end, clock),
      turns: [{ speaker: undefined, text: said }]
    })
  })
  const expected = "expected EBU STL, or Spruce STL such as 00:00:01:00 , 00:00:02:12 , Hello"
  return subtitleOf(lines, guessedClock(options), { isTimecode: true, clock }, options, expected)
}
