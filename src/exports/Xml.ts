/**
 * XML documents from plain objects: a key with `@` is an attribute, `#text` an element's text, a list several elements.
 */
import XMLBuilder from "fast-xml-builder"

/** What an element holds. */
export type XmlContent = string | { readonly [name: string]: XmlContent | ReadonlyArray<XmlContent> }

/** A document with its declaration and a document type without a grammar of its own, indented, in UTF-8. */
export const xmlDocument = (root: string, content: XmlContent): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ${root}>\n${builder.build({ [root]: content })}`

/** An element with its declaration, without a document type. */
export const xmlElement = (root: string, content: XmlContent): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: content })}`

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  format: true,
  indentBy: "  ",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  processEntities: true
})
