/** How the help's words lie on a terminal: lines no wider than it, broken between words. */

/** Columns of help where no terminal tells how many it has; on a wide one, no line is longer either. */
const widest = 100

/** Columns of help on a terminal of so many, undefined where there is none. */
export const helpColumns = (columns: number | undefined): number => Math.min(widest, columns ?? widest)

/** The lines of a text, each at most so many columns wide unless a word is wider. */
export const wrapText = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/u)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** Names to the left, what they mean to the right of the widest; a name that would take too much room stands above. */
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
