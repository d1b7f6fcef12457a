/** Tables of text for results: columns as wide as their widest cell, numbers to the right. */
import stringWidth from "string-width"

export type Cell = string | number | undefined

const bold = (text: string, colour: boolean): string => (colour ? `\u001b[1m${text}\u001b[0m` : text)

/** A table with a heading row. Cells without a value stay empty; line breaks become spaces. */
export const table = (
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  colour: boolean
): string => {
  const texts = rows.map((row) => heading.map((_, at) => cellText(row[at])))
  const widths = heading.map((name, at) =>
    Math.max(stringWidth(name), ...texts.map((row) => stringWidth(row[at] ?? "")))
  )
  const right = heading.map(
    (_, at) => rows.length > 0 && rows.every((row) => row[at] === undefined || typeof row[at] === "number")
  )
  const line = (cells: ReadonlyArray<string>, paint: (text: string) => string = (text) => text): string =>
    cells
      .map((cell, at) => {
        const room = " ".repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell)))
        return right[at] === true ? room + paint(cell) : paint(cell) + room
      })
      .join("  ")
      .trimEnd()
  return [line(heading, (text) => bold(text, colour)), ...texts.map((row) => line(row))].join("\n")
}

// Control characters of a service's answer must not steer the terminal.
const cellText = (cell: Cell): string =>
  cell === undefined ? "" : String(cell).replace(/[\u0000-\u001f\u007f-\u009f]+/gu, " ")
