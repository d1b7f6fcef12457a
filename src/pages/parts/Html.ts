/** HTML as a value: whatever is put into it is escaped, unless it is HTML already. */

/** A piece of HTML that is safe to put into a page as it stands. */
export class Html {
  constructor(private readonly parts: ReadonlyArray<string | HtmlParts>) {}

  /** All of it. */
  get text(): string {
    return [...this.pieces()].join("")
  }

  /** The same piece by piece, rows as they are asked for. */
  *pieces(): Generator<string> {
    for (const part of this.parts)
      if (typeof part === "string") yield part
      else for (const row of part.each()) yield* row.pieces()
  }

  /** HTML with values in its elements and in its quoted attributes. */
  static of(pieces: ReadonlyArray<string>, values: ReadonlyArray<Content>): Html {
    const parts: Array<string | HtmlParts> = []
    const put = (part: string | HtmlParts) => {
      const last = parts.at(-1)
      if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part
      else parts.push(part)
    }
    const write = (value: Content): void => {
      if (value instanceof Html) value.parts.forEach(put)
      else if (value instanceof HtmlParts) put(value)
      else if (typeof value === "object") value.forEach(write)
      else if (value !== undefined) put(escaped(`${value}`))
    }
    pieces.forEach((piece, at) => {
      if (at > 0) write(values[at - 1])
      put(piece)
    })
    return new Html(parts)
  }
}

/** HTML that is made when it is written: a page of thousands of rows never has them all at once. */
export class HtmlParts {
  constructor(readonly each: () => Iterable<Html>) {}
}

/** What can be put into HTML: text is escaped, lists are joined, undefined is nothing. */
export type Content = Html | HtmlParts | string | number | undefined | ReadonlyArray<Content>

/** HTML with values in its elements and in its quoted attributes; never put one into an unquoted attribute. */
export const html = (pieces: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html =>
  Html.of(pieces, values)

/**
 * Text as it stands in HTML, in an element or between quotes; control characters that no page may hold are made
 * visible.
 */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (letter) => entities[letter] ?? letter).replaceAll(forbidden, "\uFFFD")

/** Data for a page's script, inside an element of its own: no text in it can end that element or begin a comment. */
export const jsonText = (data: unknown): Html =>
  new Html([JSON.stringify(data).replaceAll("<", String.raw`\u003c`)])

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const forbidden = /(?![\t\n\r])[\p{Cc}\p{Cs}]|[\uFDD0-\uFDEF]/gu
