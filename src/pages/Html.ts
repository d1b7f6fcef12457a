/** HTML as a value: whatever is put into it is escaped, unless it is HTML already. */

/** A piece of HTML that is safe to put into a page as it stands. */
export class Html {
  constructor(readonly text: string) {}
}

/** What can be put into HTML: text is escaped, lists are joined, undefined is nothing. */
export type Content = Html | string | number | undefined | ReadonlyArray<Content>

/** HTML with values in its elements and in its quoted attributes; never put one into an unquoted attribute. */
export const html = (pieces: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html =>
  new Html(pieces.reduce((page, piece, at) => page + written(values[at - 1]) + piece))

/** Text as it stands in HTML, in an element or between quotes; control characters that no page may hold are made visible. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (letter) => entities[letter] ?? letter).replaceAll(forbidden, "\uFFFD")

/** Data for a page's script, inside an element of its own: no text in it can end that element or begin a comment. */
export const jsonText = (data: unknown): Html =>
  new Html(JSON.stringify(data).replaceAll("<", String.raw`\u003c`))

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const forbidden = /(?![\t\n\r])[\p{Cc}\p{Cs}]|[\uFDD0-\uFDEF]/gu

const written = (value: Content): string => {
  if (value === undefined) return ""
  if (value instanceof Html) return value.text
  if (typeof value === "object") return value.map(written).join("")
  return escaped(`${value}`)
}
