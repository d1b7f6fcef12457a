/** ADR cue sheet of a finished dub: who says what when, for a session that records lines again. */
import type { Timeline } from "../../domain/speech/Timeline.ts"
import { pictureHolding, picturesHolding } from "../../domain/time/FrameRate.ts"
import { millis } from "../../domain/time/Units.ts"
import { escapedAttribute, escapedXml } from "../text/Markup.ts"
import { oneLine, unlabelled } from "../text/SingleLineText.ts"
import { timecode } from "../text/Timecode.ts"

/** The columns of a cue sheet, in order. People fill in the last two by hand. */
export const cueSheetColumns = [
  "cue",
  "in",
  "out",
  "seconds",
  "character",
  "line",
  "notes",
  "takes",
  "done"
] as const
export type CueSheetColumn = (typeof cueSheetColumns)[number]

/** One line to speak. */
type CueSheetRow = Readonly<Record<CueSheetColumn, string>>

/** Returns the lines in order of time. Timecodes are those of the video frames that hold the words. */
export const cueSheetRows = ({ tracks, frameRate, startFrame }: Timeline): ReadonlyArray<CueSheetRow> =>
  tracks
    .flatMap(({ name, clips }) => clips.map((clip) => ({ clip, name })))
    .sort((a, b) => a.clip.at - b.clip.at || a.clip.cue - b.clip.cue)
    .map(({ clip: { cue, at, duration, text, speed, flags }, name }) => ({
      cue: `${cue}`,
      in: timecode(startFrame + pictureHolding(at, frameRate), frameRate),
      out: timecode(startFrame + picturesHolding(millis(at + duration), frameRate), frameRate),
      seconds: (duration / 1000).toFixed(2),
      character: oneLine(name),
      line: unlabelled(name, text),
      notes: [...(speed === 1 ? [] : [`speed ${speed.toFixed(2)}`]), ...flags].join(", "),
      takes: "",
      done: ""
    }))

/**
 * Encodes a cue sheet as an HTML page that prints well: landscape A4, the table's head on every page, no row across
 * two pages. A summary by character comes first.
 */
export const cueSheetPage = (timeline: Timeline): string => {
  const { name, language = "und", frameRate, startFrame } = timeline
  const rows = cueSheetRows(timeline)
  const about = [
    `${rows.length} ${rows.length === 1 ? "line" : "lines"}`,
    `${Number(frameRate.rate.value.toFixed(3))} fps${frameRate.drop ? " drop-frame" : ""}`,
    `starts at ${timecode(startFrame, frameRate)}`
  ]
  const characters = timeline.tracks
    .filter(({ clips }) => clips.length > 0)
    .map(({ name: speaker, clips }) => [
      oneLine(speaker),
      `${clips.length}`,
      (clips.reduce((sum, { duration }) => sum + duration, 0) / 1000).toFixed(1)
    ])
  return [
    "<!doctype html>",
    `<html lang="${escapedAttribute(language)}">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapedXml(oneLine(name))}: ADR cue sheet</title>`,
    `<style>${style}</style></head>`,
    "<body>",
    `<h1 dir="auto">${escapedXml(oneLine(name))}</h1>`,
    `<p lang="en">${about.map(escapedXml).join(" · ")}</p>`,
    table("characters", ["character", "lines", "seconds"], characters),
    table(
      "cues",
      cueSheetColumns,
      rows.map((row) => cueSheetColumns.map((column) => row[column]))
    ),
    "</body>",
    "</html>",
    ""
  ].join("\n")
}

const table = (kind: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [
    `<table class="${kind}"><thead lang="en"><tr>`,
    ...columns.map((column) => `<th scope="col">${column}</th>`),
    "</tr></thead><tbody>",
    ...rows.map(
      (cells) =>
        `<tr>${cells.map((cell, at) => `<td class="${columns[at] ?? ""}" dir="auto">${escapedXml(cell)}</td>`).join("")}</tr>`
    ),
    "</tbody></table>"
  ].join("\n")

const style = `
@page { size: A4 landscape; margin: 12mm }
body { font: 10pt/1.35 "Noto Sans", "Helvetica Neue", Arial, sans-serif; color: #111; margin: 2rem auto; max-width: 75rem }
h1 { font-size: 16pt; margin: 0 0 2mm }
p { margin: 0 0 4mm; color: #444 }
table { border-collapse: collapse; margin: 0 0 6mm }
.cues { width: 100% }
th, td { border: 0.2mm solid #999; padding: 1mm 1.5mm; text-align: start; vertical-align: top }
th { background: #eee; font-weight: 600 }
thead { display: table-header-group }
tr { break-inside: avoid }
.in, .out, .seconds, .cue, .lines { font-variant-numeric: tabular-nums; white-space: nowrap }
.line { width: 45% }
.takes { min-width: 22mm }
.done { min-width: 10mm }
@media print { body { margin: 0; max-width: none } th { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
`
