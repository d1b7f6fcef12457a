/** Manual pages, as `dubwright help <topic>` prints them. */
import { readFile } from "node:fs/promises"
import { Effect, Option } from "effect"
import { Marked, type RendererObject, type Token } from "marked"
import { exitCodeLines, fullOverview } from "./HelpPage.ts"
import { pageTopics } from "./ManualTopics.ts"
import type { CommandShape } from "./UsageCheck.ts"
import { textTable } from "../terminal/TextTable.ts"
import { pairs, wrapText } from "../terminal/TextLayout.ts"

/** Returns a topic's text, at most `columns` wide; none for an unknown topic. */
export const topicText = (topic: string, root: CommandShape, columns: number) => {
  if (topic === "all") return Effect.succeedSome(fullOverview(root, columns))
  if (topic === "exit-codes") return Effect.succeedSome(exitCodeLines(columns).join("\n"))
  const page = Object.hasOwn(pageTopics, topic) ? pageTopics[topic] : undefined
  return page === undefined
    ? Effect.succeedNone
    : Effect.promise(() => readFile(new URL(`docs/${page}.md`, import.meta.url), "utf8")).pipe(
        Effect.map((text) => Option.some(markdownText(text, columns)))
      )
}

/** Returns the page's text, at most `columns` wide; only code may be wider. */
export const markdownText = (page: string, columns: number): string =>
  rendered(new Marked().lexer(page), columns).trim()

const rendered = (tokens: Array<Token>, columns: number): string =>
  new Marked({ renderer: rendererOf(columns) }).parser(tokens)

/** Each block ends in an empty line, except a tight list item's text. */
const rendererOf = (columns: number): RendererObject => ({
  space: () => "",
  heading({ tokens }) {
    return `${wrapped(this.parser.parseInline(tokens).toUpperCase(), columns)}\n\n`
  },
  paragraph({ tokens }) {
    return `${wrapped(this.parser.parseInline(tokens), columns)}\n\n`
  },
  code: ({ raw, text }) => `${indented(text, `    ${/^ */u.exec(raw)?.[0] ?? ""}`)}\n\n`,
  blockquote: ({ tokens }) => `${indented(rendered(tokens, columns - 2).trimEnd(), "  ")}\n\n`,
  list: ({ items, ordered, start, loose }) =>
    `${items
      .map(({ tokens }, at) => {
        const mark = ordered ? `${Number(start) + at}. ` : "- "
        const text = rendered(tokens, columns - mark.length).trimEnd()
        return mark + indented(text, " ".repeat(mark.length)).trimStart()
      })
      .join(loose ? "\n\n" : "\n")}\n\n`,
  table({ header, rows }) {
    const [heading = [], ...cells] = [header, ...rows].map((row) =>
      row.map(({ tokens }) => this.parser.parseInline(tokens))
    )
    return `${tableText(heading, cells, columns)}\n\n`
  },
  text(token) {
    return "tokens" in token && token.tokens !== undefined
      ? `${wrapped(this.parser.parseInline(token.tokens), columns)}\n`
      : token.text
  },
  strong({ tokens }) {
    return this.parser.parseInline(tokens)
  },
  link({ tokens, href }) {
    return this.parser.parseInline(tokens) + readBy(href)
  },
  em: ({ raw }) => raw,
  codespan: ({ text }) => text,
  image: ({ text }) => `[${text}]`
})

const wrapped = (text: string, columns: number): string => wrapText(text, columns).join("\n")

const indented = (text: string, margin: string): string => text.replaceAll(/^(?=.)/gmu, margin)

const tableText = (
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  columns: number
): string =>
  // Up to three columns (a name and its meaning) read as a list; wider ones stay a table.
  heading.length > 3
    ? textTable(heading, rows, { colour: false, columns })
    : pairs(
        rows.map(([name = "", ...meaning]) => [name, sentence(meaning)]),
        columns
      ).join("\n")

/** Joins cells into a sentence. */
const sentence = (cells: ReadonlyArray<string>): string =>
  cells
    .filter((cell) => cell !== "")
    .join("; ")
    .replaceAll(/; (?=\p{Lu}\p{Ll})/gu, ". ")

/** The help command for a link to another page; empty for other links. */
const readBy = (target: string): string => {
  const topic = Object.entries(pageTopics).find(([, page]) => target === `${page}.md`)?.[0]
  return topic === undefined ? "" : ` (dubwright help ${topic})`
}
