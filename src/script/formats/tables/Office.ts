/** Reads dialogue lists in Excel workbooks and Word documents. A Word document without a table is read as text. */
import { Either } from "effect"
import { ScriptFault } from "../../../domain/speech/Cue.ts"
import { readDialogue, type ReadTable, type TableOptions } from "./DialogueList.ts"
import { wordDocument } from "./Docx.ts"
import { isZip, officeParts } from "./OfficeZip.ts"
import { sheetsOf } from "./Xlsx.ts"

const refused = (expected: string): ReadTable =>
  Either.left([ScriptFault.make({ line: 1, found: "", expected })])

/**
 * Reads an office document; undefined for other bytes. Lines in messages count rows of the sheet or of the document's
 * tables.
 */
export const readOffice = (
  bytes: Uint8Array,
  options: TableOptions,
  readText: (text: string) => ReadTable
): ReadTable | undefined => {
  if (!isZip(bytes)) return undefined
  const { kind, parts, fault } = officeParts(bytes)
  if (fault !== undefined)
    return refused(`the ZIP archive or office document cannot be read: ${fault}; save it again`)
  if (kind === undefined) return undefined
  if (kind === "docx") {
    const { rows, text } = wordDocument(parts.get("word/document.xml") ?? "")
    const table = rows.length === 0 ? undefined : readDialogue(rows, options)
    if (table !== undefined && (Either.isRight(table) || text.trim() === "")) return table
    return text.trim() === "" ? refused("the Word document has no text") : readText(text)
  }
  const tables = sheetsOf(parts)
    .filter((rows) => rows.length > 0)
    .map((rows) => readDialogue(rows, options))
  return tables.find(Either.isRight) ?? tables[0] ?? refused("the workbook has no rows")
}
