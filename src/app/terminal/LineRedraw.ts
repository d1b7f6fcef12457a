/** Drawing rows of text at the foot of a terminal so that they can be taken away again, as plain functions on text. */
import stringWidth from "string-width"

const reset = "\u001b[0m"
const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" })
// What colours a text and takes no room: kept whole when a row is cut.
const style = /\u001b\[[0-9;]*m/gu

/** A row cut to so many columns, its colours kept and ended; what is cut away ends in an ellipsis. */
export const fitToWidth = (row: string, columns: number): string => {
  if (stringWidth(row) <= columns) return row
  let text = ""
  let used = 0
  let at = 0
  const take = (piece: string): boolean => {
    for (const { segment } of letters.segment(piece)) {
      const wide = stringWidth(segment)
      if (used + wide > columns - 1) return false
      text += segment
      used += wide
    }
    return true
  }
  for (const mark of row.matchAll(style)) {
    if (!take(row.slice(at, mark.index))) return `${text}…${reset}`
    text += mark[0]
    at = mark.index + mark[0].length
  }
  take(row.slice(at))
  return `${text}…${at === 0 ? "" : reset}`
}

/**
 * How many lines a row takes on a terminal of so many columns; more than one only after the terminal was made narrower.
 */
export const linesTaken = (row: string, columns: number): number =>
  Math.max(1, Math.ceil(stringWidth(row) / Math.max(1, columns)))

/**
 * What takes rows away that were drawn before, each ended by a line break: the cursor goes to the first one's start.
 * Line by line: a screen that is cleared as a whole goes into the scrollback of some terminals, frame after frame.
 */
export const eraseLines = (rows: ReadonlyArray<string>, columns: number): string => {
  const lines = rows.reduce((sum, row) => sum + linesTaken(row, columns), 0)
  return lines === 0 ? "" : `\r\u001b[2K${"\u001b[A\u001b[2K".repeat(lines)}`
}
