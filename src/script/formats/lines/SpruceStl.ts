/** Parses Spruce STL, the text format of DVD authoring tools: `00:00:01:00 , 00:00:02:12 , Hello | there`. */
import { Either } from "effect"
import { Notice, ScriptFault } from "../../../domain/speech/Cue.ts"
import { frameRateNamed } from "../../../domain/time/FrameRate.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { type FrameClock, millisOfTimecode, timecodeFields } from "../timed/FrameClock.ts"
import { type ReadSubtitle, subtitleOf, type TimedLine, type TimedOptions } from "../timed/TimedLines.ts"

const timecode = "\\d{1,2}:\\d{2}:\\d{2}[:;.]\\d{2}"
const form = new RegExp(`^\\s*(${timecode})\\s*,\\s*(${timecode})\\s*,(.*)$`, "u")
const beginning = new RegExp(`^(?:\\s*(?://|\\$)[^\\n]*\\n)*\\s*${timecode}\\s*,\\s*${timecode}\\s*,`, "u")

/** Whether a text begins like Spruce STL: comments and settings, then a line with two timecodes. */
export const isSpruceStl = (text: string): boolean => beginning.test(text.slice(0, 20_000))

/** Parses a file's text at the job's frame rate, else at 25. */
export const readSpruceStl = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const named = options.frameRate === undefined ? undefined : frameRateNamed(options.frameRate)
  const clock: FrameClock = {
    rate: named?.rate.value ?? 25,
    nominal: named?.nominal ?? 25,
    drop: named?.drop === true ? "ntsc" : undefined
  }
  const lines: Array<TimedLine> = []
  const notices: Array<Notice> = []
  if (named === undefined)
    notices.push(
      Notice.make({
        line: 1,
        message: "timecodes are counted at 25 frames per second; set frameRate if the film has another rate"
      })
    )
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    if (/^\s*(?:\/\/|\$|$)/u.test(written)) return
    const [, from = "", to = "", words = ""] = form.exec(written) ?? []
    const [start, end] = [timecodeFields(from), timecodeFields(to)]
    if (start === undefined || end === undefined) {
      notices.push(
        Notice.make({
          line,
          message: `skipped "${excerpt(written)}": expected a line such as 00:00:01:00 , 00:00:02:12 , Hello`
        })
      )
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
  if (lines.length === 0)
    return Either.left([
      ScriptFault.make({
        line: 1,
        found: excerpt(text),
        expected: "expected EBU STL, or Spruce STL such as 00:00:01:00 , 00:00:02:12 , Hello"
      })
    ])
  return subtitleOf(lines, notices, { isTimecode: true, clock }, options)
}
