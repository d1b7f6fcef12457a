/** Parses the label tracks that Audacity exports: start and end in seconds and a text, separated by tabs. */
import { Either } from "effect"
import { Notice, ScriptFault } from "../../../domain/speech/Cue.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { type ReadSubtitle, subtitleOf, type TimedLine, type TimedOptions } from "../timed/TimedLines.ts"

const label = /^(\d{1,6}[.,]\d{1,9})\t(\d{1,6}[.,]\d{1,9})(?:\t(.*))?$/u

/** Whether a text begins like a label track. */
export const isLabelTrack = (text: string): boolean => label.test(text.split("\n", 1)[0] ?? "")

/** Parses a file's text. Frequencies below a label, which begin with a backslash, are left out. */
export const readLabelTrack = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const lines: Array<TimedLine> = []
  const notices: Array<Notice> = []
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    if (written.trim() === "" || written.startsWith("\\")) return
    const [, from, to, words = ""] = label.exec(written) ?? []
    if (from === undefined || to === undefined) {
      const expected = "expected a start, an end and a text, separated by tabs"
      notices.push(Notice.make({ line, message: `skipped "${excerpt(written)}": ${expected}` }))
      return
    }
    const [start = 0, end = 0] = [from, to].map((time) => Number(time.replace(",", ".")) * 1000)
    lines.push({ line, start, end, turns: [{ speaker: undefined, text: words.trim() }] })
  })
  if (!lines.some(({ turns }) => turns.some((turn) => turn.text !== "")))
    return Either.left([ScriptFault.make({ line: 1, found: "", expected: "the labels have no text" })])
  return subtitleOf(lines, notices, { isTimecode: false, clock: { rate: 25, nominal: 25 } }, options)
}
