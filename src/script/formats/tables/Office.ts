/** Reads dialogue lists in Excel workbooks and Word documents. A Word document without a table is read as text. */
import { Either } from "effect"
import { faultAt } from "../../../domain/speech/Cue.ts"
import { readDialogue, type ReadTable, type TableOptions } from "./DialogueList.ts"
import { isZip, officeParts } from "./OfficeZip.ts"
import { sheetsOf } from "./Xlsx.ts"
import { elementsNamed, elementsOf, parseXml, textIn, type XmlElement } from "../xml/XmlTree.ts"
import type { TableRow } from "./DialogueColumns.ts"

const refused = (expected: string): ReadTable => Either.left([faultAt(1, "", expected)])

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

/** The contents of a document. */
interface WordDocument {
  /** The rows of all tables, as one table; rows count from 1. */
  readonly rows: ReadonlyArray<TableRow>
  /** The text outside tables, one line a paragraph. */
  readonly text: string
}

/** Reads `word/document.xml`. */
const wordDocument = (xml: string): WordDocument => {
  const { root } = parseXml(xml)
  if (root === undefined) return { rows: [], text: "" }
  const rows = rowsIn(root).map((cells, index) => ({ line: index + 1, cells }))
  return { rows, text: paragraphs(root, true).join("\n") }
}

/**
 * The rows of the tables in an element. If a row holds nothing but a nested table, that table's rows count as rows.
 * Otherwise the nested table is text of its cell.
 */
const rowsIn = (element: XmlElement): ReadonlyArray<ReadonlyArray<string>> => {
  let above: ReadonlyArray<string> = []
  return partsOf(element).flatMap((child) => {
    if (child.name !== "tr") return rowsIn(child)
    if (isDeleted(child, "trPr", "del")) return []
    const cells = cellsOf(child)
    const isFrame =
      elementsNamed(child, "tbl").length > 0 &&
      cells.every((cell) => paragraphs(cell, true).join("").trim() === "")
    if (isFrame) return cells.flatMap(rowsIn)
    const row: Array<string> = []
    for (const cell of cells) {
      row.push(continuesAbove(cell) ? nameIn(above[row.length]) : textOfCell(cell))
      // A merged cell fills several columns.
      for (let more = spanOf(cell); more > 1; more--) row.push("")
    }
    above = row
    return [row]
  })
}

/** Whether a cell is merged with the one above it. */
const continuesAbove = (cell: XmlElement): boolean => {
  const merge = propertyOf(cell, "tcPr", "vMerge")
  return merge !== undefined && merge.attributes.get("val") !== "restart"
}

/** Longest text that a cell merged over several rows repeats in each: a name. Longer text would be spoken again. */
const maxName = 40

const nameIn = (text = ""): string => (text.length <= maxName ? text : "")

const textOfCell = (cell: XmlElement): string => paragraphs(cell).join("\n").trim()

/** The cells of a row. */
const cellsOf = (row: XmlElement): ReadonlyArray<XmlElement> =>
  partsOf(row).filter((cell) => cell.name === "tc" && !isDeleted(cell, "tcPr", "cellDel"))

/** The children of an element, with those of content controls and of custom XML in their place. */
const partsOf = (element: XmlElement): ReadonlyArray<XmlElement> =>
  elementsOf(element).flatMap((child) =>
    /^(?:sdt|sdtContent|customXml)$/u.test(child.name) ? partsOf(child) : [child]
  )

/** Whether properties record a tracked deletion. */
const isDeleted = (element: XmlElement, properties: string, deletion: string): boolean =>
  propertyOf(element, properties, deletion) !== undefined

const propertyOf = (element: XmlElement, properties: string, name: string): XmlElement | undefined =>
  elementsOf(element)
    .filter((child) => child.name === properties)
    .flatMap(elementsOf)
    .find((property) => property.name === name)

/** Maximum number of columns of a table in Word. */
const maxColumns = 63

const spanOf = (cell: XmlElement): number => {
  const span = Number(propertyOf(cell, "tcPr", "gridSpan")?.attributes.get("val") ?? 1)
  return Number.isInteger(span) && span > 0 ? Math.min(span, maxColumns) : 1
}

/** The text of paragraphs; in a whole document, without those in tables. */
const paragraphs = (element: XmlElement, outsideTables = false): ReadonlyArray<string> =>
  elementsOf(element).flatMap((child) =>
    child.name === "p"
      ? [textOf(child)]
      : child.name === "tbl" && outsideTables
        ? []
        : paragraphs(child, outsideTables)
  )

/** The text of a paragraph without deleted and hidden text, ruby, notes and field codes. A text box counts once. */
const textOf = (element: XmlElement): string =>
  elementsOf(element)
    .map((child) => {
      if (child.name === "t") return textIn(child)
      if (child.name === "tab") return "\t"
      if (child.name === "br" || child.name === "cr") return "\n"
      if (child.name === "noBreakHyphen") return "-"
      if (child.name === "r" && isHidden(child)) return ""
      return unread.test(child.name) ? "" : textOf(child)
    })
    .join("")

const unread = /^(?:del|moveFrom|instrText|Fallback|pPr|rPr|rt)$/u

/** Whether a run is hidden text. */
const isHidden = (run: XmlElement): boolean => {
  const vanish = propertyOf(run, "rPr", "vanish")
  return vanish !== undefined && !/^(?:0|false|off)$/u.test(vanish.attributes.get("val") ?? "")
}
