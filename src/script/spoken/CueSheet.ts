/**
 * A table beside a subtitle, in CSV: who speaks which cues, with which voice, and which stay unspoken. For
 * subtitles that are not to be written into.
 */
import { Either } from "effect"
import { isNonEmptyReadonlyArray } from "effect/Array"
import { ScriptFault, ScriptRejected } from "../../domain/speech/Cue.ts"
import { excerpt } from "../markup/CueLines.ts"
import { decodeText } from "../bytes/TextDecoding.ts"
import { parseDirective, type InlineDirectives } from "../markup/InlineDirectives.ts"
import type { CueWords } from "./CueWords.ts"

/** One row: the cues it is for, and what it says of them. */
export interface SheetRow {
  /** First and last index, both included, of each stretch of cues. */
  readonly cues: ReadonlyArray<readonly [from: number, to: number]>
  readonly overrides: InlineDirectives
  /** Whether these cues stay unspoken. */
  readonly skip: boolean
}

/** The rows in the order of the file; where two speak of one cue the later one counts. */
export type CueSheet = ReadonlyArray<SheetRow>

const columns = ["cues", "speaker", "voice", "provider", "model", "speed", "vol", "pitch", "skip"] as const

/**
 * Reads a sheet. Its first line names its columns: `cues`, such as `12`, `12-40` or `"1-3, 7"`, and any of
 * `speaker`, `voice`, `provider`, `model`, `speed`, `vol`, `pitch` and `skip` (yes or no). Between fields stand
 * commas, semicolons or tabs; an empty field says nothing.
 */
export const cueSheetOf = (bytes: Uint8Array, file: string): Either.Either<CueSheet, ScriptRejected> =>
  Either.flatMap(
    Either.mapLeft(decodeText(bytes), (fault) => ScriptRejected.make({ file, faults: [fault] })),
    ({ text }) => {
      const [header, ...records] = recordsOf(text)
      const faults: Array<ScriptFault> = []
      const rows = sheetRows(header, records, (line, found, expected) => {
        faults.push(ScriptFault.make({ line, found: excerpt(found), expected }))
      })
      return isNonEmptyReadonlyArray(faults)
        ? Either.left(ScriptRejected.make({ file, faults }))
        : Either.right(rows)
    }
  )

/**
 * A script's words as a sheet has them. It counts more than the labels in a cue's text, and less than what its
 * braces wish.
 */
export const withSheet = (words: ReadonlyArray<CueWords>, sheet: CueSheet): ReadonlyArray<CueWords> =>
  words.map((cue) => {
    const rows = sheet.filter((row) => row.cues.some(([from, to]) => cue.cue >= from && cue.cue <= to))
    const isLost = "skipped" in cue && cue.skipped === "lost"
    if (("skipped" in cue && !isLost) || rows.length === 0) return cue
    if (rows.at(-1)?.skip === true) return { cue: cue.cue, line: cue.line, skipped: "excluded" }
    if ("skipped" in cue) return cue
    const { speaker, ...wishes } = rows.reduce<InlineDirectives>(
      (sum, row) => ({ ...sum, ...row.overrides }),
      {}
    )
    const [first, ...others] = cue.parts
    const dressed = (part: typeof first): typeof first => {
      const overrides = { ...wishes, ...part.overrides }
      return {
        ...part,
        ...(speaker === undefined ? {} : { speaker }),
        ...(Object.keys(overrides).length === 0 ? {} : { overrides })
      }
    }
    return { ...cue, parts: [dressed(first), ...others.map(dressed)] }
  })

interface CsvRecord {
  /** The line it begins on, from 1. */
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

type Blame = (line: number, found: string, expected: string) => void

const sheetRows = (
  header: CsvRecord | undefined,
  records: ReadonlyArray<CsvRecord>,
  blame: Blame
): CueSheet => {
  const names = (header?.fields ?? []).map((name) => name.toLowerCase())
  const strange = names.filter((name) => columns.every((column) => column !== name))
  for (const name of strange)
    blame(1, name, `is no column of a cue sheet: expected some of ${columns.join(", ")}`)
  if (!names.includes("cues"))
    blame(1, names.join(","), 'expected a first line that names the columns, "cues" among them')
  return strange.length > 0 || !names.includes("cues")
    ? []
    : records.map((record) => rowOf(record, names, blame))
}

const rowOf = ({ line, fields }: CsvRecord, names: ReadonlyArray<string>, blame: Blame): SheetRow => {
  let overrides: InlineDirectives = {}
  let cues: SheetRow["cues"] = []
  let skip = false
  if (fields.length > names.length)
    blame(line, fields.join(","), `has more than the ${names.length} fields that the first line names`)
  names.forEach((name, i) => {
    const value = fields[i] ?? ""
    if (name === "cues") {
      const ranges = rangesOf(value)
      if (ranges === undefined) blame(line, value, "expected the cues it is for, such as 12, 12-40 or 1-3, 7")
      else cues = ranges
    } else if (value === "") return
    else if (name === "skip") {
      if (/^(?:yes|true|1|x|no|false|0)$/iu.test(value)) skip = /^[yt1x]/iu.test(value)
      else blame(line, value, "expected yes or no under skip")
    } else
      Either.match(parseDirective(name, value), {
        onLeft: (why) => blame(line, value, why),
        onRight: (wish) => {
          overrides = { ...overrides, ...wish }
        }
      })
  })
  return { cues, overrides, skip }
}

const rangesOf = (text: string): SheetRow["cues"] | undefined => {
  const ranges: Array<readonly [number, number]> = []
  for (const part of text.split(/[,;\s]+(?=\d)/u)) {
    const range = /^(\d{1,9})(?:\s*[-\u2013]\s*(\d{1,9}))?$/u.exec(part.trim())
    if (range === null) return undefined
    const from = Number(range[1])
    const to = Number(range[2] ?? range[1])
    if (to < from) return undefined
    ranges.push([from, to])
  }
  return ranges
}

/**
 * CSV by its usual rules: fields in quotes may hold the separator, line breaks, and quotes twice over. Empty lines
 * are read over.
 */
const recordsOf = (text: string): ReadonlyArray<CsvRecord> => {
  const separator = separatorOf(text.slice(0, text.search(/\n|$/u)))
  const records: Array<CsvRecord> = []
  let fields: Array<string> = []
  let line = 1
  let from = 1
  const field = /(?:"((?:[^"]|"")*)"[^\S\n]*|([^\n]*?))(\n|$|[,;\t])/uy
  let held = ""
  while (field.lastIndex < text.length) {
    const match = field.exec(text)
    if (match === null) break
    const [whole, quoted, plain = "", end = ""] = match
    line += whole.split("\n").length - 1
    const value = quoted === undefined ? plain : quoted.replaceAll('""', '"')
    if (end !== "\n" && end !== "" && end !== separator) {
      held += value + end
      continue
    }
    fields.push((held + value).trim())
    held = ""
    if (end === separator) continue
    if (fields.some((each) => each !== "")) records.push({ line: from, fields })
    fields = []
    from = line
  }
  return records
}

const separatorOf = (header: string): string =>
  header.includes("\t") ? "\t" : header.includes(";") && !header.includes(",") ? ";" : ","
