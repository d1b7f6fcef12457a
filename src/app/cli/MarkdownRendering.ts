/** A page of the manual for a terminal: headings, paragraphs, lists, tables and code without their marks. */
import { textTable } from "../terminal/TextTable.ts"
import { pairs, wrapText } from "../terminal/TextLayout.ts"
import { pageTopics } from "./ManualTopics.ts"

/** The page's text in so many columns; only code may be wider. */
export const markdownText = (page: string, columns: number): string => {
  const shown: Array<string> = []
  let rows: Array<ReadonlyArray<string>> = []
  let words: Array<string> = []
  let code = false
  const ended = () => {
    shown.push(...tableText(rows, columns), ...paragraph(words, columns))
    rows = []
    words = []
  }
  for (const line of page.split("\n")) {
    const fence = /^\s*```/u.test(line)
    const cells = code ? undefined : cellsOf(line)
    if (cells !== undefined) rows.push(cells)
    else if (fence || code || line === "" || line.startsWith("#")) {
      ended()
      if (fence) code = !code
      else if (code) shown.push(`    ${line}`.trimEnd())
      else shown.push(...wrapText(plain(line), columns))
    } else {
      if (item.test(line)) ended()
      words.push(line)
    }
  }
  ended()
  return shown
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim()
}

/** How an item of a list begins. */
const item = /^\s*(?:- |\d+\. )/u

/** A paragraph, or an item of a list, whose further lines stand below its first word. */
const paragraph = (lines: ReadonlyArray<string>, columns: number): ReadonlyArray<string> => {
  const [first = ""] = lines
  const mark = item.exec(first)?.[0] ?? /^\s*/u.exec(first)?.[0] ?? ""
  const margin = " ".repeat(mark.length)
  return lines.length === 0
    ? []
    : wrapText(plain(lines.join("\n").slice(mark.length)), columns - mark.length).map(
        (line, at) => (at === 0 ? mark : margin) + line
      )
}

/** The rows of a table, the first its heading and the second the rule below it. */
const tableText = (rows: ReadonlyArray<ReadonlyArray<string>>, columns: number): ReadonlyArray<string> => {
  const [heading, , ...cells] = rows.map((row) => row.map(plain))
  if (heading === undefined) return []
  // Names with what they mean read as a list; more than that is a table.
  return heading.length > 3
    ? textTable(heading, cells, { colour: false, columns }).split("\n")
    : pairs(
        cells.map(([name = "", ...meaning]) => [name, sentence(meaning)]),
        columns
      )
}

/** Cells one behind the other. */
const sentence = (cells: ReadonlyArray<string>): string =>
  cells
    .filter((cell) => cell !== "")
    .join("; ")
    .replaceAll(/; (?=\p{Lu}\p{Ll})/gu, ". ")

const cellsOf = (line: string): ReadonlyArray<string> | undefined =>
  line.startsWith("|")
    ? line
        .replaceAll(String.raw`\|`, "\u0000")
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("\u0000", "|"))
    : undefined

const plain = (text: string): string =>
  text
    .replace(/^#+\s+(.*)$/u, (_, title: string) => title.toUpperCase())
    // A picture is what it says of itself.
    .replaceAll(/!\[([^\]]+)\]\([^)]*\)/gu, "[$1]")
    .replaceAll(/\[([^\]]+)\]\(([^)]*)\)/gu, (_, words: string, target: string) => words + readBy(target))
    .replaceAll(/\*\*([^*]+)\*\*/gu, "$1")
    .replaceAll(/`([^`]+)`/gu, "$1")

/** Where a link leads to another page: how that is read here. */
const readBy = (target: string): string => {
  const topic = Object.entries(pageTopics).find(([, page]) => target === `${page}.md`)?.[0]
  return topic === undefined ? "" : ` (dubwright help ${topic})`
}
