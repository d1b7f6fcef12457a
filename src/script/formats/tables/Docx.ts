/** Reads the tables and the text of a Word document (ECMA-376 WordprocessingML). */
import { elementsNamed, elementsOf, parseXml, textIn, type XmlElement } from "../xml/XmlTree.ts"
import type { TableRow } from "./DialogueColumns.ts"

/** The contents of a document. */
export interface WordDocument {
  /** The rows of all tables, as one table; rows count from 1. */
  readonly rows: ReadonlyArray<TableRow>
  /** The text outside tables, one line a paragraph. */
  readonly text: string
}

/** Reads `word/document.xml`. */
export const wordDocument = (xml: string): WordDocument => {
  const { root } = parseXml(xml)
  if (root === undefined) return { rows: [], text: "" }
  const rows = elementsNamed(root, "tr").map((row, index) => ({
    line: index + 1,
    cells: elementsOf(row)
      .filter(({ name }) => name === "tc")
      .map((cell) => paragraphs(cell).join("\n").trim())
  }))
  return { rows, text: paragraphs(root, true).join("\n") }
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

/** The text of a paragraph. Deleted text, notes and field codes do not count; a text box counts once. */
const textOf = (element: XmlElement): string =>
  elementsOf(element)
    .map((child) => {
      if (child.name === "t") return textIn(child)
      if (child.name === "tab") return "\t"
      if (child.name === "br" || child.name === "cr") return "\n"
      return /^(?:del|moveFrom|instrText|Fallback|pPr|rPr)$/u.test(child.name) ? "" : textOf(child)
    })
    .join("")
