/** Skips the header before the first cue: that of WebVTT, and that of SubViewer and SBV. */
import { isBlank } from "../../markup/CueLines.ts"
import { notice, type Scan } from "./CueScan.ts"

/** Returns the line after the WEBVTT header; 0 (with a notice) if there is no header. */
export const passVttHeader = (scan: Scan): number => {
  const start = scan.lines.findIndex((line) => line.trim() !== "")
  const first = scan.lines[start] ?? ""
  if (!/^\s*WEBVTT(?:\s|$)/iu.test(first)) {
    notice(scan, 1, "the WEBVTT header is missing; read as WebVTT anyway")
    return 0
  }
  if (start > 0 || !first.startsWith("WEBVTT"))
    notice(scan, start + 1, "the WEBVTT header is malformed; read anyway")
  let line = start + 1
  while (line < scan.lines.length && scan.lines[line] !== "" && scan.timings[line]?.kind === "none") {
    if (scan.lines[line]?.startsWith("X-TIMESTAMP-MAP") === true)
      notice(
        scan,
        line + 1,
        "ignored X-TIMESTAMP-MAP, which maps times to a stream's clock; times are used as written"
      )
    line++
  }
  return line
}

const field =
  /^\s*\[(?:INFORMATION|TITLE|AUTHOR|SOURCE|FILEPATH|PRG|DELAY|CD TRACK|COMMENT|END INFORMATION|SUBTITLE|COLF|STYLE|SIZE|FONT)\]/iu

/** Returns the line after the header of SubViewer (`[INFORMATION]` to `[SUBTITLE]`, styles); 0 if there is none. */
export const passInformation = ({ lines, timings }: Scan): number => {
  const times = timings.findIndex(({ kind }) => kind !== "none")
  const head = lines.slice(0, Math.max(0, times))
  const end = head.findIndex((line) => /^\s*\[END INFORMATION\]/iu.test(line))
  let line = /^\s*\[INFORMATION\]/iu.test(head.find((line) => !isBlank(line)) ?? "") ? end + 1 : 0
  while (line < head.length && (isBlank(head[line]) || field.test(head[line] ?? ""))) line++
  return line
}
