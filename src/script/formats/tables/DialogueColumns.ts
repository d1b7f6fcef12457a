/** Finds the columns of a dialogue list: as the manifest names them, else by their headers, else by their contents. */
import { cellTime } from "./CellTime.ts"

/** A row of cells, with its line in the file (a CSV) or its row in the table, from 1. */
export interface TableRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** The contents of columns. */
export const columnRoles = ["start", "end", "duration", "speaker", "text"] as const
export type ColumnRole = (typeof columnRoles)[number]

/** Columns as the manifest names them: by header, or by letter (`A` is the first). */
export type NamedColumns = { readonly [role in ColumnRole]?: string | undefined }

/** The places of columns, and the rows below the header. */
export interface FoundColumns {
  readonly at: { readonly [role in ColumnRole]?: number }
  readonly rows: ReadonlyArray<TableRow>
  /** Names of columns in the manifest that the table does not have. */
  readonly missing: ReadonlyArray<string>
}

/** Headers in order of preference. Words in brackets and punctuation do not count. */
const headers: { readonly [role in ColumnRole]: ReadonlyArray<string> } = {
  start: [
    "start",
    "start time",
    "start timecode",
    "tc in",
    "tcin",
    "timecode in",
    "time in",
    "in",
    "in time",
    "in tc",
    "begin",
    "begin time",
    "from",
    "timecode",
    "time code",
    "tc",
    "timestamp",
    "time",
    "cue in"
  ],
  end: [
    "end",
    "end time",
    "end timecode",
    "tc out",
    "tcout",
    "timecode out",
    "time out",
    "out",
    "out time",
    "out tc",
    "stop",
    "to",
    "cue out"
  ],
  duration: ["duration", "dur", "length"],
  speaker: [
    "speaker",
    "character",
    "character name",
    "role",
    "actor",
    "name",
    "who",
    "voice",
    "cast",
    "talent",
    "source"
  ],
  text: [
    "dub",
    "dubbed text",
    "dub dialogue",
    "adaptation",
    "translation",
    "translated text",
    "target",
    "target text",
    "text",
    "dialogue",
    "dialog",
    "line",
    "lines",
    "subtitle",
    "subtitles",
    "caption",
    "transcript",
    "transcription",
    "script",
    "speech",
    "words",
    "content",
    "original",
    "source text",
    "english"
  ]
}

const plain = (header: string): string =>
  header
    .toLowerCase()
    .replace(/\([^()]*\)/gu, " ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** Maximum number of rows above the header: titles, dates, names of the production. */
const highestHeader = 20

/** Finds the columns of a table. */
export const columnsOf = (rows: ReadonlyArray<TableRow>, named: NamedColumns): FoundColumns => {
  const header = headerOf(rows, named)
  const below = header === undefined ? rows : rows.slice(header + 1)
  const titles = header === undefined ? [] : (rows[header]?.cells ?? []).map(plain)
  const at: { [role in ColumnRole]?: number } = {}
  const missing: Array<string> = []
  for (const role of columnRoles) {
    const wanted = named[role]
    if (wanted !== undefined) {
      const place = placeOf(wanted, titles)
      if (place === undefined) missing.push(wanted)
      else at[role] = place
      continue
    }
    const place = headers[role].map((title) => titles.indexOf(title)).find((found) => found >= 0)
    if (place !== undefined) at[role] = place
  }
  return { at: byContent(at, below), rows: below, missing }
}

/** The first row in which at least two cells are known headers, or one that the manifest names. */
const headerOf = (rows: ReadonlyArray<TableRow>, named: NamedColumns): number | undefined => {
  const wanted = columnRoles.flatMap((role) => (named[role] === undefined ? [] : [plain(named[role])]))
  const found = rows.slice(0, highestHeader).findIndex(({ cells }) => {
    const titles = cells.map(plain)
    const known = columnRoles.filter((role) => headers[role].some((title) => titles.includes(title)))
    return titles.some((title) => title !== "" && wanted.includes(title)) || known.length >= 2
  })
  return found < 0 ? undefined : found
}

const placeOf = (wanted: string, titles: ReadonlyArray<string>): number | undefined => {
  const titled = titles.indexOf(plain(wanted))
  if (titled >= 0) return titled
  return /^[A-Z]$/u.test(wanted) ? wanted.charCodeAt(0) - 65 : undefined
}

/** Adds columns without known headers, by the contents of most of their cells. */
const byContent = (known: FoundColumns["at"], rows: ReadonlyArray<TableRow>): FoundColumns["at"] => {
  const at: { [role in ColumnRole]?: number } = { ...known }
  const taken = (place: number): boolean => columnRoles.some((role) => at[role] === place)
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const columns = Array.from({ length: Math.min(width, 200) }, (_, place) => {
    const cells = rows.map(({ cells }) => cells[place]?.trim() ?? "").filter((cell) => cell !== "")
    const share = (test: (cell: string) => boolean): number =>
      cells.filter(test).length / Math.max(1, cells.length)
    return {
      place,
      times: share((cell) => cell.includes(":") && cellTime(cell, { rate: 25, nominal: 25 }) !== undefined),
      letters:
        cells.reduce((sum, cell) => sum + (cell.match(/\p{L}/gu)?.length ?? 0), 0) / Math.max(1, rows.length),
      distinct: new Set(cells).size,
      filled: cells.length,
      longest: cells.reduce((most, cell) => Math.max(most, cell.length), 0)
    }
  })
  const timed = columns.filter(({ place, times, filled }) => filled > 0 && times > 0.6 && !taken(place))
  const first = at.start === undefined ? timed.shift() : undefined
  if (first !== undefined) at.start = first.place
  if (at.end === undefined && at.duration === undefined && timed[0] !== undefined) at.end = timed[0].place
  if (at.text === undefined) {
    const [most] = columns
      .filter(({ place, letters }) => letters > 0 && !taken(place))
      .sort((a, b) => b.letters - a.letters)
    if (most !== undefined) at.text = most.place
  }
  if (at.speaker === undefined) {
    const names = columns.find(
      ({ place, filled, distinct, letters, longest, times }) =>
        !taken(place) && filled > 2 && distinct <= filled / 2 && letters > 1 && longest <= 40 && times < 0.1
    )
    if (names !== undefined) at.speaker = names.place
  }
  return at
}
