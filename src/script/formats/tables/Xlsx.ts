/**
 * Reads the rows of an Excel workbook (ECMA-376,
 * https://ecma-international.org/publications-and-standards/standards/ecma-376/).
 */
import { elementsNamed, elementsOf, parseXml, textIn, type XmlElement } from "../xml/XmlTree.ts"
import type { TableRow } from "./DialogueColumns.ts"

/** Maximum number of columns; dialogue lists have a handful. */
const maxColumns = 200

/** Returns the rows of each sheet, in the order of the workbook. */
export const sheetsOf = (parts: ReadonlyMap<string, string>): ReadonlyArray<ReadonlyArray<TableRow>> => {
  const root = (name: string): XmlElement | undefined => {
    const text = parts.get(name)
    return text === undefined ? undefined : parseXml(text).root
  }
  const strings = named(root("xl/sharedStrings.xml"), "si").map(stringOf)
  const styles = stylesOf(root("xl/styles.xml"))
  const targets = new Map(
    named(root("xl/_rels/workbook.xml.rels"), "Relationship").map(({ attributes }) => [
      attributes.get("Id") ?? "",
      (attributes.get("Target") ?? "").replace(/^\/?(?:xl\/)?/u, "xl/")
    ])
  )
  const inOrder = named(root("xl/workbook.xml"), "sheet").flatMap(({ attributes }) => {
    const target = targets.get(attributes.get("id") ?? "")
    return target === undefined || attributes.get("state") === "hidden" ? [] : [target]
  })
  const all = [...parts.keys()].filter((name) => name.startsWith("xl/worksheets/")).sort()
  return (inOrder.length === 0 ? all : inOrder).map((name) =>
    named(root(name), "row").map((row, index) => rowOf(row, index, strings, styles))
  )
}

const named = (root: XmlElement | undefined, name: string): ReadonlyArray<XmlElement> =>
  root === undefined ? [] : elementsNamed(root, name)

/** The text of a string: all its runs, without phonetic guides. */
const stringOf = (element: XmlElement): string =>
  elementsOf(element)
    .filter(({ name }) => name === "t" || name === "r")
    .map((part) => (part.name === "t" ? textIn(part) : elementsNamed(part, "t").map(textIn).join("")))
    .join("")

/** The indices of the cell styles that show a number as a time, or as a date. */
interface CellStyles {
  readonly times: ReadonlySet<number>
  readonly dates: ReadonlySet<number>
}

const stylesOf = (styles: XmlElement | undefined): CellStyles => {
  const formats = new Map(
    named(styles, "numFmt").map(({ attributes }) => [
      attributes.get("numFmtId") ?? "",
      attributes.get("formatCode") ?? ""
    ])
  )
  const [cellFormats] = named(styles, "cellXfs")
  const times = new Set<number>()
  const dates = new Set<number>()
  elementsOf(
    cellFormats ?? { name: "", namespace: "", attributes: new Map(), children: [], line: 1 }
  ).forEach(({ attributes }, index) => {
    const id = attributes.get("numFmtId") ?? "0"
    const format = (formats.get(id) ?? "").replace(/"[^"]*"|\[[a-z]{3,}\]/giu, "")
    if (/^(?:1[89]|2[0-2]|4[5-7])$/u.test(id) || /[hs]/iu.test(format)) times.add(index)
    if (/^(?:1[4-7]|22)$/u.test(id) || /[dy]/iu.test(format)) dates.add(index)
  })
  return { times, dates }
}

const rowOf = (
  row: XmlElement,
  index: number,
  strings: ReadonlyArray<string>,
  styles: CellStyles
): TableRow => {
  const cells: Array<string> = []
  for (const cell of elementsOf(row).filter(({ name }) => name === "c")) {
    const place = columnOf(cell.attributes.get("r")) ?? cells.length
    if (place >= maxColumns) continue
    while (cells.length < place) cells.push("")
    cells[place] = valueOf(cell, strings, styles)
  }
  const number = Number(row.attributes.get("r"))
  return { line: Number.isInteger(number) && number > 0 ? number : index + 1, cells }
}

/** The column of a reference such as `AB12`, from 0. */
const columnOf = (reference: string | undefined): number | undefined => {
  const letters = /^([A-Z]{1,3})\d/u.exec(reference ?? "")?.[1]
  return letters === undefined
    ? undefined
    : Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

const valueOf = (cell: XmlElement, strings: ReadonlyArray<string>, styles: CellStyles): string => {
  const { attributes } = cell
  const [value] = elementsNamed(cell, "v").map(textIn)
  const type = attributes.get("t")
  if (type === "s") return strings[Number(value)] ?? ""
  if (type === "inlineStr") return named(cell, "is").map(stringOf).join("")
  if (type === "e" || value === undefined) return ""
  if (type === "b") return value === "1" ? "TRUE" : "FALSE"
  if (type !== undefined && type !== "n") return value
  const style = Number(attributes.get("s"))
  const days = Number(value)
  // A time of day is a fraction of a day.
  if (styles.times.has(style) && days >= 0 && days < 10) return clockOfDays(days)
  return styles.dates.has(style) && days >= 1 && days < latestDay ? dateOfDays(days) : value
}

/** Days are counted from 30 December 1899; the last one is in the year 9999. */
const firstDay = Date.UTC(1899, 11, 30)
const latestDay = 2_958_466

const dateOfDays = (days: number): string => new Date(firstDay + Math.round(days * 86_400_000)).toISOString()

const clockOfDays = (days: number): string => {
  const millis = Math.round(days * 86_400_000)
  const fields = [
    Math.floor(millis / 3_600_000),
    Math.floor(millis / 60_000) % 60,
    Math.floor(millis / 1000) % 60
  ]
  return `${fields.map((field) => `${field}`.padStart(2, "0")).join(":")}.${`${millis % 1000}`.padStart(3, "0")}`
}
