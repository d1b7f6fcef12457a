/** Tables of text for results: columns as wide as their widest cell, numbers to the right. */
import stringWidth from "string-width"
import { fitToWidth } from "./LineRedraw.ts"

export type Cell = string | number | undefined

/** What a table is shown on. */
export interface Look {
  /** Whether it may carry colours. */
  readonly colour: boolean
  /** How many columns of text there are on a terminal; undefined elsewhere, where lines may be of any length. */
  readonly columns: number | undefined
}

/**
 * A table with a heading row. Cells without a value stay empty; line breaks become spaces. One that is wider than the
 * terminal goes on below itself, each part with the first column again.
 */
export const textTable = (
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  { colour, columns }: Look
): string => {
  const texts = rows.map((row) => heading.map((_, at) => cellText(row[at])))
  const widths = heading.map((name, at) =>
    Math.max(stringWidth(name), ...texts.map((row) => stringWidth(row[at] ?? "")))
  )
  const right = heading.map(
    (_, at) => rows.length > 0 && rows.every((row) => row[at] === undefined || typeof row[at] === "number")
  )
  const line = (
    cells: ReadonlyArray<string>,
    part: ReadonlyArray<number>,
    paint = (text: string) => text
  ) => {
    const text = part
      .map((at) => {
        const cell = cells[at] ?? ""
        const room = " ".repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell)))
        return right[at] === true ? room + paint(cell) : paint(cell) + room
      })
      .join(gap)
      .trimEnd()
    return columns === undefined ? text : fitToWidth(text, columns)
  }
  return partsOf(widths, columns)
    .map((part) =>
      [
        line(heading, part, (text) => (colour ? `\u001b[1m${text}\u001b[0m` : text)),
        ...texts.map((row) => line(row, part))
      ].join("\n")
    )
    .join("\n\n")
}

const gap = "  "

/** Which columns stand beside each other: all of them where they fit, else as many as fit beside the first. */
const partsOf = (
  widths: ReadonlyArray<number>,
  columns: number = Infinity
): ReadonlyArray<ReadonlyArray<number>> => {
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

// Control characters of a service's answer must not steer the terminal.
const cellText = (cell: Cell): string =>
  cell === undefined ? "" : String(cell).replace(/[\u0000-\u001f\u007f-\u009f]+/gu, " ")
