/** Parses LRC: lyrics, and transcripts of players, with a time before each line: `[01:02.50]Hello`. */
import type { LostBlock } from "../cues/LostBlocks.ts"
import {
  mediaTime,
  type ReadSubtitle,
  subtitleOf,
  type TimedOptions,
  unreadLine
} from "../timed/TimedLines.ts"

const tag = /^\s*\[[a-z#][a-z_ -]*:.*\]\s*$/iu
const clock = "([-\\u2010-\\u2015\\u2212]?)(\\d{1,3}):(\\d{1,2})(?:[.:](\\d{1,3}))?"
const stamp = new RegExp(`\\[${clock}\\]`, "gu")
const stamps = new RegExp(`^\\s*((?:\\[${clock.replace(/\((?!\?)/gu, "(?:")}\\]\\s*)+)(.*)$`, "u")

/** Whether a text begins like LRC: tags, then a time with a fraction. */
export const isLrc = (text: string): boolean =>
  /^(?:\[(?:ti|ar|al|au|by|offset|length|re|ve|tool|la|id):[^\]\n]*\]\s*)*\[\d{1,3}:\d{2}\.\d+\]/iu.test(text)

/** Parses a file's text. A line lasts until the next one, and an empty line ends it. Times of words are left out. */
export const readLrc = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const lost: Array<LostBlock> = []
  const timed: Array<{ readonly line: number; readonly start: number; readonly words: string }> = []
  // A positive offset shows lines earlier.
  const offset = Number(/^\s*\[offset\s*:\s*([+-]?\d{1,9})\s*\]/imu.exec(text)?.[1] ?? 0)
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    const [, times, rest = ""] = stamps.exec(written) ?? []
    if (times === undefined) {
      if (written.trim() !== "" && !tag.test(written))
        lost.push(unreadLine(line, written, "expected a time such as [01:02.50] before it"))
      return
    }
    // Marks of voices (`v1:`, `bg:`), which players that know them do not show, are left out.
    const words = rest
      .replace(/<\d{1,3}:\d{1,2}(?:[.:]\d{1,3})?>/gu, "")
      .replace(/^\s*(?:(?:v\d{1,2}|bg|[DFM])\s*:\s*)?(?:\[(?:bg|v\d{1,2})\s*:(.*)\])?\s*/iu, "$1")
      .trim()
    for (const [, minus, minutes, seconds, fraction = 0] of times.matchAll(stamp)) {
      const whole = Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`)
      timed.push({ line, start: (minus === "" ? whole : -whole) * 1000 - offset, words })
    }
  })
  const sorted = timed.sort((a, b) => a.start - b.start)
  const lines = sorted.map(({ line, start, words }, at) => ({
    line,
    start,
    end: sorted.slice(at + 1, at + 50).find((next) => next.start > start)?.start,
    turns: [{ speaker: undefined, text: words }]
  }))
  const expected = "no line with a time and text found; expected lines such as [01:02.50]Hello"
  return subtitleOf([...lines, ...lost], [], mediaTime, options, expected)
}
