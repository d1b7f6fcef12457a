/** Reads a table of dialogue into cues; without times, into a narration with speakers. */
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import {
  Block,
  Narration,
  type Script,
  noticeAt,
  faultAt,
  type ScriptFault
} from "../../../domain/speech/Cue.ts"
import { SpeakerName } from "../../../domain/values/Ids.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { plainText } from "../../markup/CueMarkup.ts"
import { clockIn, guessedClock, knownClock } from "../timed/FrameClock.ts"
import type { LostBlock } from "../cues/LostBlocks.ts"
import { subtitleOf, type TimedLine, type TimedOptions, unreadLine } from "../timed/TimedLines.ts"
import { cellTime } from "./CellTime.ts"
import { columnsOf, type NamedColumns, type TableRow } from "./DialogueColumns.ts"

/** A manifest's settings for a table. */
export interface TableOptions extends TimedOptions {
  readonly columns?: NamedColumns | undefined
}

/** A script read from a table, or why the table cannot be read. */
export type ReadTable = Either.Either<Script, NonEmptyReadonlyArray<ScriptFault>>

const refused = (line: number, found: string, expected: string): ReadTable =>
  Either.left([faultAt(line, excerpt(found), expected)])

/** Reads the rows of a table. */
export const readDialogue = (table: ReadonlyArray<TableRow>, options: TableOptions = {}): ReadTable => {
  const { at, units, rows, missing } = columnsOf(table, options.columns ?? {})
  const titles = table[0]?.cells.join(" | ") ?? ""
  if (missing[0] !== undefined)
    return refused(
      table[0]?.line ?? 1,
      missing[0],
      `columns: the table has no column of this name; found ${excerpt(titles)}`
    )
  const cellOf = (row: TableRow, place: number | undefined): string =>
    place === undefined ? "" : (row.cells[place]?.trim() ?? "")
  if (at.text === undefined)
    return refused(
      table[0]?.line ?? 1,
      titles,
      'no column with dialogue found; name it, as in columns: { text: "Dialogue" }'
    )
  if (at.start === undefined) return narrationOf(rows, at.text, at.speaker)
  const starts = rows.map((row) => cellOf(row, at.start))
  const clock = clockIn(starts.join("\n"), knownClock(options))
  const lines: Array<TimedLine | LostBlock> = []
  const faults: Array<ScriptFault> = []
  let countsFrames = false
  for (const row of rows) {
    const text = cellOf(row, at.text)
    if (text === "") continue
    const [from = "", until] = cellOf(row, at.start).split(/\s*(?:-{1,2}>|→|–|\s-\s)\s*/u)
    const start = cellTime(from, clock, units.start)
    if (start === undefined) {
      const expected = "expected a start time such as 00:01:02.500 or 00:01:02:12"
      faults.push(faultAt(row.line, excerpt(from === "" ? text : from), expected))
      lines.push(unreadLine(row.line, from === "" ? text : from, expected, text))
      continue
    }
    countsFrames ||= units.start === "frames" || /^\d+[:;]\d+[:;]\d+[:;]\d+$/u.test(from)
    const length = cellTime(cellOf(row, at.duration), clock, units.duration)
    const end = cellTime(until ?? cellOf(row, at.end), clock, units.end)
    const speaker = cellOf(row, at.speaker).replace(/\s+/gu, " ")
    lines.push({
      line: row.line,
      start,
      end: end ?? (length === undefined ? undefined : start + length),
      turns: [{ speaker: speaker === "" ? undefined : speaker, text }]
    })
  }
  if (lines.length === faults.length)
    return isNonEmptyReadonlyArray(faults)
      ? Either.left(faults)
      : refused(table[0]?.line ?? 1, titles, "the table has no dialogue below its header")
  const notices = countsFrames ? guessedClock(options) : []
  const empty = "the table has no dialogue below its header"
  return subtitleOf(lines, notices, { isTimecode: countsFrames, clock }, options, empty)
}

const narrationOf = (rows: ReadonlyArray<TableRow>, text: number, speaker: number | undefined): ReadTable => {
  const blocks = rows.flatMap(({ line, cells }) => {
    const words = plainText(cells[text] ?? "").trim()
    const name = speaker === undefined ? "" : (cells[speaker] ?? "").replace(/\s+/gu, " ").trim()
    const said = name === "" ? {} : { speaker: SpeakerName.make(name) }
    return words === "" ? [] : [Block.make({ kind: "paragraph", text: words, line, ...said })]
  })
  if (blocks.length === 0)
    return refused(rows[0]?.line ?? 1, "", "the table has no dialogue below its header")
  const notices = [noticeAt(1, "the table has no column with times; its lines are read one after another")]
  return Either.right(Narration.make({ format: "text", blocks, notices }))
}
