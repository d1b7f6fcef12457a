/** Safe HTML values: the `html` template escapes everything that is put into it, except HTML values. */
import { streamJson } from "../../domain/values/JsonStream.ts"

/** A fragment of HTML that is safe to insert unescaped. */
export class Html {
  constructor(private readonly parts: ReadonlyArray<string | HtmlParts>) {}

  /** The whole fragment as one string. */
  get text(): string {
    return [...this.pieces()].join("")
  }

  /** Yields the fragment piece by piece; rows are rendered on demand. */
  *pieces(): Generator<string> {
    for (const part of this.parts)
      if (typeof part === "string") yield part
      else for (const row of part.each()) yield* row.pieces()
  }

  /** Joins a template's literal pieces and its values, which are escaped. */
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

/** HTML rendered lazily while it is written, so that thousands of rows are never in memory at once. */
export class HtmlParts {
  constructor(readonly each: () => Iterable<Html>) {}
}

/** A value that a template accepts: text is escaped, lists are concatenated, undefined renders as nothing. */
export type Content = Html | HtmlParts | string | number | undefined | ReadonlyArray<Content>

/** Tagged template for HTML. Values are allowed in elements and in quoted attributes, never in unquoted attributes. */
export const html = (pieces: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html =>
  Html.of(pieces, values)

/**
 * Escapes text for use in an element or a quoted attribute. Replaces characters that HTML forbids (controls, lone
 * surrogates, U+FDD0–FDEF) with U+FFFD.
 */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (letter) => entities[letter] ?? letter).replaceAll(forbidden, "\uFFFD")

/**
 * Renders data as JSON for a `<script>` element, the elements of its lists on demand. Escapes `<`, so that no text can
 * close the element or open a comment.
 */
export const jsonText = (data: object): Html => {
  const pieces = function* () {
    for (const piece of streamJson(data, 0)) yield new Html([piece.replaceAll("<", String.raw`\u003c`)])
  }
  return new Html([new HtmlParts(pieces)])
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const forbidden = /(?![\t\n\r])[\p{Cc}\p{Cs}]|[\uFDD0-\uFDEF]/gu
