/** Parses texts with a time before each line, until the next time: SubViewer 1, QuickTime text and TMPlayer. */
import {
  isTimelike,
  mediaTime,
  type ReadSubtitle,
  subtitleOf,
  type TimedOptions,
  unreadLine
} from "../timed/TimedLines.ts"

/** A time alone on its line, of SubViewer 1 (`[00:01:02]`) and QuickTime (`[00:01:02.15]`). */
const bracketed = /^\s*\[(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,4}))?\](.*)$/u

/** A line of TMPlayer: `00:01:02:Hello|there`, `00:01:02=Hello`, or a row of several: `00:01:02,1=Hello`. */
const tmPlayerLine = /^\s*(\d{1,2}):(\d{2}):(\d{2})(?:,\d)?(?:=|:(?!\d))(.*)$/u

/** Lines around the script, and unused parts of SubViewer 1. */
const frame = /^\s*(?:\*{3,}.*|\[(?:end|begin)\])\s*$/iu

/** Whether a text begins like SubViewer 1: a time alone on its line, or a header that SubViewer 2 does not have. */
export const isSubViewer1 = (text: string, ending: string): boolean =>
  (/^\[TITLE\]/iu.test(text) && /^\[BEGIN\]/imu.test(text.slice(0, 5000))) ||
  (ending === "sub" && /^\[\d{1,2}:\d{2}:\d{2}\][ \t]*\n/u.test(text))

/** Whether a text begins like QuickTime text. */
export const isQuickTimeText = (text: string): boolean => /^\{QTtext\}/iu.test(text)

/**
 * Whether a text begins like TMPlayer, in the first hour of a film and in order of time. A chat has a space behind its
 * times, and times of day.
 */
export const isTmPlayer = (text: string): boolean => {
  const top = text.split("\n", 20).filter((line) => line.trim() !== "")
  const stamps = top.flatMap((line) => {
    const stamp = tmPlayerLine.exec(line)
    return stamp === null ? [] : [stamp]
  })
  const [first, second] = stamps
  if (first === undefined || second === undefined || stamps.length * 2 <= top.length) return false
  if (Number(first[1]) > 0) return false
  const said = [first[4] ?? "", second[4] ?? ""]
  return said.every((words) => !/^\s/u.test(words)) && secondsOf(first) <= secondsOf(second)
}

const secondsOf = (found: RegExpExecArray): number =>
  (Number(found[1]) * 60 + Number(found[2])) * 60 + Number(found[3])

interface Stamped {
  readonly line: number
  /** Milliseconds; undefined if the time is damaged. */
  readonly start: number | undefined
  readonly rows: Array<string>
}

/** Parses a file's text. A text ends where the next one begins; an empty one leaves a pause. */
export const readStamped = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const form = isTmPlayer(text.trimStart()) ? tmPlayerLine : bracketed
  // QuickTime counts the fraction in parts of a second that the header states.
  const scale = isQuickTimeText(text.trimStart())
    ? Number(/\{timescale:\s*(\d{1,6})\s*\}/iu.exec(text)?.[1] ?? 600)
    : undefined
  const found: Array<Stamped> = []
  text.split("\n").forEach((written, index) => {
    const stamp = form.exec(written)
    const last = found.at(-1)
    if (stamp === null) {
      if (isTimelike(written)) found.push({ line: index + 1, start: undefined, rows: [written] })
      else if (!frame.test(written)) last?.rows.push(written)
      return
    }
    const fraction = form === bracketed ? (stamp[4] ?? "") : ""
    const part = scale === undefined || scale === 0 ? Number(`0.${fraction}`) : Number(fraction) / scale
    const start = (secondsOf(stamp) + part) * 1000
    const words = (form === bracketed ? stamp[5] : stamp[4]) ?? ""
    if (last?.start === start && form === tmPlayerLine) last.rows.push(words)
    else found.push({ line: index + 1, start, rows: [words] })
  })
  const lines = found.map(({ line, start, rows }, at) => {
    const [first = "", ...below] = rows
    if (start === undefined)
      return unreadLine(
        line,
        rows.join(" "),
        "expected a time such as [00:01:02]",
        spoken([afterTime(first), ...below])
      )
    const end = found.slice(at + 1, at + 10).find((next) => next.start !== undefined)?.start
    return { line, start, end, turns: [{ speaker: undefined, text: spoken(rows) }] }
  })
  return subtitleOf(lines, [], mediaTime, options, "no text below a time such as [00:01:02] found")
}

const afterTime = (written: string): string => written.replace(/^[^\]=\s]*:[^:\]=\s]*?[\]=:]/u, "")

/** The words of a text: `|` breaks a row, codes in braces are styles. */
const spoken = (rows: ReadonlyArray<string>): string =>
  rows
    .flatMap((row) => row.replace(/\{[^{}]*\}/gu, "").split("|"))
    .map((row) => row.trim().replace(/^\//u, ""))
    .filter((row) => row !== "")
    .join("\n")
