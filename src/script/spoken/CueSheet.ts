/**
 * Cue sheets: a CSV table next to a subtitle that sets speakers and voices of cues, or excludes cues. Useful if the
 * subtitle itself must not be edited.
 */
import { Either } from "effect"
import { isNonEmptyReadonlyArray } from "effect/Array"
import { ScriptRejected, faultAt, type ScriptFault } from "../../domain/speech/Cue.ts"
import { type Blame, type CsvRecord, csvRecords } from "../bytes/CsvRecords.ts"
import { excerpt } from "../markup/CueLines.ts"
import { decodeText } from "../bytes/TextDecoding.ts"
import { parseDirective, type InlineDirectives } from "../markup/InlineDirectives.ts"
import type { CueWords } from "./CueWords.ts"

/** One row: its cues, and the settings for them. */
export interface SheetRow {
  /** First and last index of each range of cues, both inclusive. */
  readonly cues: ReadonlyArray<readonly [from: number, to: number]>
  readonly overrides: InlineDirectives
  /** Whether these cues are not spoken. */
  readonly skip: boolean
}

/** The rows in file order; for a cue in several rows, later rows win. */
export type CueSheet = ReadonlyArray<SheetRow>

const columns = "cues speaker voice provider model speed vol pitch tone skip".split(" ")

/**
 * Parses a sheet. The first line names the columns: `cues` (such as `12`, `12-40` or `"1-3, 7"`), and any of `speaker`,
 * `voice`, `provider`, `model`, `speed`, `vol`, `pitch`, `tone` and `skip` (yes or no). Fields are separated by commas,
 * semicolons or tabs; an empty field sets nothing. Fails with every fault.
 */
export const cueSheetOf = (bytes: Uint8Array, file: string): Either.Either<CueSheet, ScriptRejected> =>
  Either.flatMap(
    Either.mapLeft(decodeText(bytes), (fault) => ScriptRejected.make({ file, faults: [fault] })),
    ({ text }) => {
      const faults: Array<ScriptFault> = []
      const blame: Blame = (line, found, expected) => {
        faults.push(faultAt(line, excerpt(found), expected))
      }
      const records = csvRecords(text, blame)
      const rows = isNonEmptyReadonlyArray(faults) ? [] : sheetRows(records, blame)
      return isNonEmptyReadonlyArray(faults)
        ? Either.left(ScriptRejected.make({ file, faults }))
        : Either.right(rows)
    }
  )

/** Applies a sheet to a script's words. It overrides labels in a cue's text, and is overridden by inline directives. */
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

const sheetRows = ([header, ...records]: ReadonlyArray<CsvRecord>, blame: Blame): CueSheet => {
  const names = (header?.fields ?? []).map((name) => name.toLowerCase())
  const strange = names.filter((name) => !columns.includes(name))
  for (const name of strange) blame(1, name, `is not a cue sheet column; use some of ${columns.join(", ")}`)
  if (!names.includes("cues"))
    blame(1, names.join(","), 'the first line must name the columns, including "cues"')
  return strange.length > 0 || !names.includes("cues")
    ? []
    : records.map((record) => rowOf(record, names, blame))
}

const rowOf = ({ line, fields }: CsvRecord, names: ReadonlyArray<string>, blame: Blame): SheetRow => {
  let overrides: InlineDirectives = {}
  let cues: SheetRow["cues"] = []
  let skip = false
  if (fields.length > names.length)
    blame(line, fields.join(","), `has more fields than the ${names.length} columns named in the first line`)
  names.forEach((name, i) => {
    const value = fields[i] ?? ""
    if (name === "cues") {
      const ranges = rangesOf(value)
      if (ranges === undefined) blame(line, value, "expected cue numbers such as 12, 12-40 or 1-3, 7")
      else cues = ranges
    } else if (value === "") return
    else if (name === "skip") {
      if (/^(?:yes|true|1|x|no|false|0)$/iu.test(value)) skip = /^[yt1x]/iu.test(value)
      else blame(line, value, "expected yes or no in the skip column")
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
