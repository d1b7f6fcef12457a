/** Parses the label tracks that Audacity exports: start and end in seconds and a text, separated by tabs. */
import type { LostBlock } from "../cues/LostBlocks.ts"
import {
  mediaTime,
  type ReadSubtitle,
  subtitleOf,
  type TimedLine,
  type TimedOptions,
  unreadLine
} from "../timed/TimedLines.ts"

const label = /^(\d{1,6}[.,]\d{1,9})\t(\d{1,6}[.,]\d{1,9})(?:\t(.*))?$/u

/** Whether a text begins like a label track. */
export const isLabelTrack = (text: string): boolean => label.test(text.split("\n", 1)[0] ?? "")

/** Parses a file's text. Frequencies below a label, which begin with a backslash, are left out. */
export const readLabelTrack = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const lines: Array<TimedLine | LostBlock> = []
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    if (written.trim() === "" || written.startsWith("\\")) return
    const [, from, to, words = ""] = label.exec(written) ?? []
    if (from === undefined || to === undefined) {
      const expected = "expected a start, an end and a text, separated by tabs"
      lines.push(unreadLine(line, written, expected, written.split("\t").at(-1)))
      return
    }
    const [start = 0, end = 0] = [from, to].map((time) => Number(time.replace(",", ".")) * 1000)
    lines.push({ line, start, end, turns: [{ speaker: undefined, text: words.trim() }] })
  })
  return subtitleOf(lines, [], mediaTime, options, "the labels have no text")
}
