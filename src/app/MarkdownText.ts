/** A page of the manual for a terminal: headings, paragraphs, tables and code without their marks. */

/** The page's text; `pairs` lays out names and their meanings. */
export const markdownText = (
  page: string,
  pairs: (terms: ReadonlyArray<readonly [string, string]>) => ReadonlyArray<string>
): string => {
  const lines = page.split("\n")
  const shown: Array<string> = []
  let rows: Array<readonly [string, string]> = []
  let code = false
  for (const [at, line] of lines.entries()) {
    const cells = code ? undefined : cellsOf(line)
    if (cells !== undefined) {
      // The row above the rule is the heading.
      const heading = /^\s*\|[-|\s:]+\|\s*$/u.test(lines[at + 1] ?? "")
      if (!heading && !cells.every((cell) => /^-+$/u.test(cell))) rows.push(termOf(cells))
      continue
    }
    if (rows.length > 0) shown.push(...pairs(rows))
    rows = []
    if (/^\s*```/u.test(line)) {
      code = !code
    } else if (code) {
      shown.push(`    ${line}`)
    } else if (!/^\s*!\[/u.test(line)) {
      shown.push(plain(line))
    }
  }
  return [...shown, ...(rows.length > 0 ? pairs(rows) : [])]
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim()
}

const cellsOf = (line: string): ReadonlyArray<string> | undefined =>
  line.startsWith("|")
    ? line
        .replaceAll(String.raw`\|`, "\u0000")
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("\u0000", "|"))
    : undefined

const termOf = ([name = "", ...meaning]: ReadonlyArray<string>): readonly [string, string] => [
  plain(name),
  meaning
    .filter((cell) => cell !== "")
    .map(plain)
    .join("; ")
]

const plain = (line: string): string =>
  line
    .replace(/^#+\s+(.*)$/u, (_, title: string) => title.toUpperCase())
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/gu, "$1")
    .replaceAll(/\*\*([^*]+)\*\*/gu, "$1")
    .replaceAll(/`([^`]+)`/gu, "$1")
