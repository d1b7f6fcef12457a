/** Finds the columns of a dialogue list: as the manifest names them, else by their headers, else by their contents. */
import { cellTime, type TimeUnit } from "./CellTime.ts"

/** A row of cells, with its line in the file (a CSV) or its row in the table, from 1. */
export interface TableRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** Columns as the manifest names them: by header, or by letter (`A` is the first). */
export type NamedColumns = { readonly [role in ColumnRole]?: string | undefined }

/** The places of columns, and the rows below the header. */
export interface FoundColumns {
  readonly at: { readonly [role in ColumnRole]?: number }
  /** What plain numbers in the columns of times count, as the header says. */
  readonly units: { readonly [role in ColumnRole]?: TimeUnit | undefined }
  readonly rows: ReadonlyArray<TableRow>
  /** Names of columns in the manifest that the table does not have. */
  readonly missing: ReadonlyArray<string>
}

/** Maximum number of rows above the header: titles, dates, names of the production. */
const maxHeader = 20

/** Finds the columns of a table. */
export const columnsOf = (rows: ReadonlyArray<TableRow>, named: NamedColumns): FoundColumns => {
  const header = headerOf(rows, named)
  const below = header === undefined ? rows : rows.slice(header + 1)
  const titles = header === undefined ? [] : (rows[header]?.cells ?? []).map(plainHeader)
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
  const written = header === undefined ? [] : (rows[header]?.cells ?? [])
  const unit = (place: number | undefined) => (place === undefined ? undefined : unitOf(written[place] ?? ""))
  return {
    at: byContent(at, below),
    units: { start: unit(at.start), end: unit(at.end), duration: unit(at.duration) },
    rows: below,
    missing
  }
}

/** Whether the first two lines of a table are a header with times and text, and a row. */
export const isDialogueHeader = ([first = [], second = []]: ReadonlyArray<
  ReadonlyArray<string>
>): boolean => {
  const titles = first.map(plainHeader)
  return (
    second.length > 1 &&
    [headers.start, headers.text].every((names) => names.some((title) => titles.includes(title)))
  )
}

/** The first row in which at least two cells are known headers, or one that the manifest names. */
const headerOf = (rows: ReadonlyArray<TableRow>, named: NamedColumns): number | undefined => {
  const wanted = columnRoles.flatMap((role) => (named[role] === undefined ? [] : [plainHeader(named[role])]))
  const found = rows.slice(0, maxHeader).findIndex(({ cells }) => {
    const titles = cells.map(plainHeader)
    const known = columnRoles.filter((role) => headers[role].some((title) => titles.includes(title)))
    return titles.some((title) => title !== "" && wanted.includes(title)) || known.length >= 2
  })
  if (found >= 0) return found
  return hasForeignTitles(rows) ? 0 : undefined
}

/** Whether the first row has words above columns of times: titles in a language that is not known here. */
const hasForeignTitles = ([first, ...others]: ReadonlyArray<TableRow>): boolean =>
  first?.cells.some((title, place) => {
    const below = others.map(({ cells }) => cells[place]?.trim() ?? "").filter((cell) => cell !== "")
    return (
      /\p{L}/u.test(title) &&
      below.length > 0 &&
      below.filter(isWrittenTime).length / below.length > mostlyTimes
    )
  }) ?? false

/** Share of a column's cells from which it is a column of times. */
const mostlyTimes = 0.6

const isWrittenTime = (cell: string): boolean =>
  /[:;]/u.test(cell) && cellTime(cell, { rate: 25, nominal: 25 }) !== undefined

const placeOf = (wanted: string, titles: ReadonlyArray<string>): number | undefined => {
  const titled = titles.indexOf(plainHeader(wanted))
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
      times: share(isWrittenTime),
      letters:
        cells.reduce((sum, cell) => sum + (cell.match(/\p{L}/gu)?.length ?? 0), 0) / Math.max(1, rows.length),
      distinct: new Set(cells).size,
      filled: cells.length,
      longest: cells.reduce((most, cell) => Math.max(most, cell.length), 0)
    }
  })
  const timed = columns.filter(
    ({ place, times, filled }) => filled > 0 && times > mostlyTimes && !taken(place)
  )
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

/** The contents of columns. */
const columnRoles = ["start", "end", "duration", "speaker", "text"] as const
type ColumnRole = (typeof columnRoles)[number]

const list = (titles: string): ReadonlyArray<string> => titles.split(", ")

/** Titles in order of preference. Words in brackets, punctuation and units do not count. */
const headers: { readonly [role in ColumnRole]: ReadonlyArray<string> } = {
  start: list(
    "start, start time, start timecode, start tc, tc start, tc in, tcin, timecode in, time in, in, in time, " +
      "in tc, in timecode, in point, begin, begin time, from, timecode, time code, tc, timestamp, time, cue in, " +
      "tc entrée, tc début, entrée, début, zeit ein, tc ein, ein, beginn, anfang, start tc, startzeit, " +
      "tc entrada, entrada, inicio, tc inicio, início, inizio, tc inizio, entrata, bắt đầu, thời gian, " +
      "начало, тайм код, таймкод, 開始, 开始, 開始時間, 开始时间, 시작, 시작 시간, początek, başlangıç"
  ),
  end: list(
    "end, end time, end timecode, end tc, tc end, tc out, tcout, timecode out, time out, out, out time, " +
      "out tc, out timecode, out point, stop, to, cue out, " +
      "tc sortie, tc fin, sortie, fin, zeit aus, tc aus, aus, ende, endzeit, " +
      "tc salida, salida, final, tc final, tc saída, saída, fim, fine, tc fine, uscita, kết thúc, " +
      "конец, окончание, 終了, 结束, 終了時間, 结束时间, 끝, 종료, koniec, bitiş"
  ),
  duration: list("duration, dur, length, durée, dauer, länge, duración, duração, durata, thời lượng"),
  speaker: list(
    "speaker, character, character name, role, actor, name, who, voice, cast, talent, source, " +
      "personnage, locuteur, rolle, figur, sprecher, personaje, personagem, personaggio, nhân vật, " +
      "персонаж, роль, герой, 役名, 役, 角色, 人物, 인물, 등장인물, postać, karakter"
  ),
  text: list(
    "dub, dubbed text, dub dialogue, adaptation, translation, translated text, target, target text, text, " +
      "dialogue, dialog, line, lines, subtitle, subtitles, caption, transcript, transcription, script, speech, " +
      "words, content, " +
      "traduction, réplique, dialogues, texte, übersetzung, replik, untertitel, traducción, diálogo, texto, " +
      "tradução, fala, traduzione, battuta, dialogo, testo, bản dịch, lời thoại, nội dung, thoại, " +
      "перевод, реплика, текст, 翻訳, 台詞, セリフ, 译文, 台词, 对白, 번역, 대사, tłumaczenie, tekst, diyalog, " +
      "original, source text, english"
  )
}

const unit = /\s(?:ms|msec|msecs|milliseconds?|s|sec|secs|seconds?|frames?|hh mm ss(?: ff| ms)?)$/u

/** A title in the form of {@link headers}. */
const plainHeader = (header: string): string =>
  header
    .normalize("NFC")
    .toLowerCase()
    .replace(/\([^()]*\)/gu, " ")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
    .replace(unit, "")

/** What plain numbers below a title count; undefined if it does not say. */
const unitOf = (header: string): TimeUnit | undefined => {
  const words = header.toLowerCase().split(/[^\p{L}]+/u)
  if (words.some((word) => /^(?:ms|msecs?|millis|milliseconds?)$/u.test(word))) return "milliseconds"
  return words.some((word) => /^frames?$/u.test(word)) ? "frames" : undefined
}
