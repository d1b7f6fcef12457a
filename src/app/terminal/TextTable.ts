/** Text tables for results: each column is as wide as its widest cell, numbers are right-aligned. */
import stringWidth from "string-width"
import { fitToWidth } from "./LineRedraw.ts"

export type Cell = string | number | FigureCell | undefined

/** A number as text, with its unit; right-aligned like a number. */
export interface FigureCell {
  readonly figure: string
}

/** A table's headings and rows. A heading may have several lines; its last is next to the rows. */
export interface Columns {
  readonly heading: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
}

/** Colour and width of the output. */
export interface Look {
  /** Whether colours are allowed. */
  readonly colour: boolean
  /** Terminal width; undefined without a terminal, where lines may have any length. */
  readonly columns: number | undefined
}

/** The width of a table that is not split. */
export const tableWidth = (table: Columns): number =>
  widthsOf(table).reduce((sum, width) => sum + gap.length + width, -gap.length)

const widthsOf = ({ heading, rows }: Columns): ReadonlyArray<number> =>
  heading.map((name, at) =>
    Math.max(
      ...[...name.split("\n"), ...rows.map((row) => cellText(row[at]))].map((text) => stringWidth(text))
    )
  )

/**
 * Formats a table with a heading row. Undefined cells stay empty; line breaks become spaces. A table wider than the
 * terminal is split into parts below one another, each repeating the first column.
 */
export const textTable = (
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  { colour, columns }: Look
): string => {
  const texts = rows.map((row) => heading.map((_, at) => cellText(row[at])))
  const widths = widthsOf({ heading, rows })
  const right = heading.map(
    (_, at) => rows.length > 0 && rows.every((row) => row[at] === undefined || typeof row[at] !== "string")
  )
  const names = heading.map((name) => name.split("\n"))
  const headLines = Math.max(...names.map((lines) => lines.length))
  const headRows = Array.from({ length: headLines }, (_, row) =>
    names.map((lines) => lines[row - headLines + lines.length] ?? "")
  )
  const line = (
    cells: ReadonlyArray<string>,
    part: ReadonlyArray<number>,
    paint = (text: string) => text
  ) => {
    const text = part
      .map((at) => {
        const cell = cells[at] ?? ""
        const padding = " ".repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell)))
        return right[at] === true ? padding + paint(cell) : paint(cell) + padding
      })
      .join(gap)
      .trimEnd()
    return columns === undefined ? text : fitToWidth(text, columns)
  }
  return partsOf(widths, columns)
    .map((part) =>
      [
        ...headRows.map((row) =>
          line(row, part, (text) => (colour && text !== "" ? `\u001b[1m${text}\u001b[0m` : text))
        ),
        ...texts.map((row) => line(row, part))
      ].join("\n")
    )
    .join("\n\n")
}

const gap = "  "

/** Splits the columns into parts that fit the width; the first column starts each part. */
const partsOf = (widths: ReadonlyArray<number>, columns: number = Infinity) => {
  const [first = 0, ...others] = widths
  const parts: Array<Array<number>> = [[0]]
  let used = first
  others.forEach((width, before) => {
    const part = parts.at(-1)
    if (part === undefined) return
    if (used + gap.length + width > columns && part.length > 1) {
      parts.push([0, before + 1])
      used = first + gap.length + width
    } else {
      part.push(before + 1)
      used += gap.length + width
    }
  })
  return parts
}

// Control characters in a service's response must not reach the terminal.
const cellText = (cell: Cell): string =>
  cell === undefined
    ? ""
    : String(typeof cell === "object" ? cell.figure : cell).replace(/[\u0000-\u001f\u007f-\u009f]+/gu, " ")
