/** XML with its elements in the given order, for formats in which elements of several kinds alternate. */

/** An element, or text. */
export type Markup = string | MarkupElement

/** An element. Attributes without a value are left out. */
export interface MarkupElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly children: ReadonlyArray<Markup>
}

/** Returns an element. */
export const element = (
  name: string,
  attributes: MarkupElement["attributes"] = {},
  children: ReadonlyArray<Markup> = []
): MarkupElement => ({ name, attributes, children })

/**
 * Encodes a document with an XML declaration in UTF-8. Elements that hold text are not indented, because white space in
 * them may matter.
 */
export const markupDocument = (root: MarkupElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${encoded(root, "")}\n`

const encoded = ({ name, attributes, children }: MarkupElement, indent: string): string => {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${escapedAttribute(`${value}`)}"`
  )
  const open = `${indent}<${name}${given.join("")}`
  if (children.length === 0) return `${open}/>`
  const isInline = children.some((child) => typeof child === "string")
  const inner = children.map((child) =>
    typeof child === "string" ? escapedXml(child) : encoded(child, isInline ? "" : `${indent}  `)
  )
  return isInline
    ? `${open}>${inner.join("")}</${name}>`
    : `${open}>\n${inner.join("\n")}\n${indent}</${name}>`
}

/** Escapes text for XML; characters that XML does not allow are dropped. */
export const escapedXml = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")

/** Escapes the text of an attribute. */
export const escapedAttribute = (text: string): string => escapedXml(text).replaceAll('"', "&quot;")
