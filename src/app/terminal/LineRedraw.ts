/** Fitting and erasing of redrawn terminal rows, as pure functions on text. */
import stringWidth from "string-width"

const reset = "\u001b[0m"
const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" })
// SGR colour sequences take no columns and are kept whole when a row is cut.
const style = /\u001b\[[0-9;]*m/gu

/**
 * Cuts a row to `columns`, ending in an ellipsis if cut; colours are kept and reset. By hand: cli-truncate 5 exceeds
 * the width on wide characters, and fast-string-truncated-width 3 cuts through flags and escape sequences.
 */
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

/** Returns how many terminal lines a row takes: more than one only if the terminal became narrower since. */
export const linesTaken = (row: string, columns: number): number =>
  Math.max(1, Math.ceil(stringWidth(row) / Math.max(1, columns)))

/**
 * Returns the escape sequence that erases rows drawn before, each ended by a line break, and moves the cursor to the
 * start of the first. Erases line by line: clearing the screen would fill some terminals' scrollback with frames.
 */
export const eraseLines = (rows: ReadonlyArray<string>, columns: number): string => {
  const lines = rows.reduce((sum, row) => sum + linesTaken(row, columns), 0)
  return lines === 0 ? "" : `\r\u001b[2K${"\u001b[A\u001b[2K".repeat(lines)}`
}
