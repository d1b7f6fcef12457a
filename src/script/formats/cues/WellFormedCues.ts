/**
 * Parses well-formed SRT and WebVTT with the `subtitle` package. The package also accepts other files, but misreads
 * them. Examples are text lines that begin with NOTE, times or cue identifiers in the text, and `,5` as 5 ms. So a rule
 * decides which files the package parses. `CueBlocks.ts` repairs all others.
 */
import { parseSync } from "subtitle"
import { isBlank, numberOf, trimmed } from "../../markup/CueLines.ts"
import type { CueBlock } from "./CueScan.ts"
import { isUntimed, parseTiming, type TimingStyle, withoutStrayTimes } from "./TimingLine.ts"

/** Returns the cues of a file; undefined if it is not well-formed. */
export const wellFormedCues = (text: string, style: TimingStyle): ReadonlyArray<CueBlock> | undefined => {
  const heads = style === "sbv" ? undefined : cueHeads(text.split("\n"), style)
  const cues = heads === undefined ? [] : parsed(text)
  if (heads === undefined || heads.length !== cues.length || cues.length === 0) return undefined
  const blocks = cues.map((cue, i) => ({ line: 0, number: undefined, ...heads[i], ...cue }))
  return blocks.every(isPlain) ? blocks : undefined
}

/** Where a cue is in its file: the line of its time, from 1, and the number above that, if there is one. */
type CueHead = Pick<CueBlock, "line" | "number">

/**
 * Returns the heads of the cues if each paragraph is a cue: an optional number, a time line, and text. In WebVTT, the
 * first paragraph is the header, and comments may follow.
 */
const cueHeads = (lines: ReadonlyArray<string>, style: TimingStyle): ReadonlyArray<CueHead> | undefined => {
  const heads: Array<CueHead> = []
  let at = 0
  if (style === "vtt") {
    if (!/^WEBVTT(?:[ \t]|$)/u.test(lines[0] ?? "")) return undefined
    while (++at < lines.length && lines[at] !== "")
      if (!isText(lines[at], style) || lines[at]?.startsWith("X-TIMESTAMP-MAP") === true) return undefined
  }
  for (; at < lines.length; at++) {
    if (lines[at] === "") continue
    const comment = style === "vtt" && /^NOTE(?:\s|$)/u.test(lines[at] ?? "")
    if (!comment) {
      const number = numberOf(lines[at])
      // The package reads numbers in ASCII digits only.
      if (number !== undefined && /[^\d\s]/u.test(lines[at] ?? "")) return undefined
      if (number !== undefined) at++
      if (!timeLine.test(lines[at] ?? "") || !isText(lines[at + 1], style)) return undefined
      heads.push({ line: at + 1, number })
    }
    while (at + 1 < lines.length && lines[at + 1] !== "") if (!isText(lines[++at], style)) return undefined
  }
  return heads
}

const clock = "(?:\\d{1,5}:)?[0-5]\\d:[0-5]\\d[,.]\\d{3}"
const timeLine = new RegExp(`^${clock} --> ${clock}(?: [\\w-]+:\\S*)* ?$`, "u")

/** Whether both parsers take a line for text. */
const isText = (line: string | undefined, style: TimingStyle): boolean =>
  line !== undefined && !isBlank(line) && !line.startsWith("NOTE") && parseTiming(line, style).kind === "none"

/** Whether nothing about a cue needs repair or a notice. */
const isPlain = ({ start, end, lines }: CueBlock): boolean =>
  start <= end && !isUntimed(start) && withoutStrayTimes(lines).times.length === 0

const parsed = (text: string): ReadonlyArray<Pick<CueBlock, "start" | "end" | "lines">> => {
  try {
    return parseSync(text).flatMap((node) =>
      node.type === "cue"
        ? [{ start: node.data.start, end: node.data.end, lines: trimmed(node.data.text.split("\n")) }]
        : []
    )
  } catch {
    // The package refuses the file, for example for two empty lines after a comment.
    return []
  }
}
