/** Reads a dialogue list in a CSV file. */
import { Either } from "effect"
import { isNonEmptyArray } from "effect/Array"
import { faultAt, type ScriptFault } from "../../../domain/speech/Cue.ts"
import { csvRecords } from "../../bytes/CsvRecords.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { readDialogue, type ReadTable, type TableOptions } from "./DialogueList.ts"

/** A timecode as Adobe programs write it; behind or before a further semicolon, its fields may be columns. */
const dropFrame = /(?<![\d;])\d{2}(?:[:;]\d{2}){3}(?![\d;])/gu

/**
 * Parses a file's text. Fields are separated by commas, semicolons, tabs or bars, whichever is most frequent in the
 * first lines.
 */
export const readDialogueCsv = (text: string, options: TableOptions = {}): ReadTable => {
  const top = text.split("\n", 10).join("\n").replace(dropFrame, "")
  const [separator = ","] = [",", ";", "\t", "|"].sort((a, b) => top.split(b).length - top.split(a).length)
  const faults: Array<ScriptFault> = []
  const records = csvRecords(
    text,
    (line, found, expected) =>
      faults.push(faultAt(line, excerpt(found), `not a readable CSV table: ${expected}`)),
    separator
  )
  return isNonEmptyArray(faults)
    ? Either.left(faults)
    : readDialogue(
        records.map(({ line, fields }) => ({ line, cells: fields })),
        options
      )
}
