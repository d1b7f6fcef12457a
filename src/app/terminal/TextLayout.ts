/** Word wrapping and two-column lists for help pages. */
import wrapAnsi from "wrap-ansi"

/** Maximum width of help in columns; also the width without a terminal. */
const widest = 100

/** Returns the width of help on a terminal of `columns`; undefined means no terminal. */
export const helpColumns = (columns: number | undefined): number => Math.min(widest, columns ?? widest)

/** Wraps a text into lines of at most `columns`; only a single longer word exceeds that. */
export const wrapText = (text: string, columns: number): ReadonlyArray<string> =>
  wrapAnsi(text.replace(/\s+/gu, " "), columns).split("\n")

/** Lays out names on the left and meanings on the right; a name wider than a third of `columns` gets its own line. */
export const pairs = (
  terms: ReadonlyArray<readonly [string, string]>,
  columns: number
): ReadonlyArray<string> => {
  const most = Math.floor(columns / 3)
  const wide = Math.max(0, ...terms.map(([name]) => name.length).filter((length) => length <= most))
  const margin = `  ${" ".repeat(wide)}  `
  return terms.flatMap(([name, meaning]) => {
    const lines = wrapText(meaning, columns - margin.length)
    const above = name.length > wide ? wrapText(name, columns - 2).map((line) => `  ${line}`) : []
    return [
      ...above,
      ...lines.map((line, at) =>
        (above.length === 0 && at === 0 ? `  ${name.padEnd(wide)}  ${line}` : margin + line).trimEnd()
      )
    ].filter((line) => line !== "")
  })
}
