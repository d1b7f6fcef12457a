/**
 * XML documents from plain objects: a key with `@` is an attribute, `#text` an element's text, an array repeats an
 * element.
 */
import XMLBuilder from "fast-xml-builder"

/** The content of an element. */
export type XmlContent = string | { readonly [name: string]: XmlContent | ReadonlyArray<XmlContent> }

/** Encodes a document with an XML declaration and a bare document type, indented, in UTF-8. */
export const xmlDocument = (root: string, content: XmlContent): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ${root}>\n${builder.build({ [root]: content })}`

/** Encodes an element with an XML declaration, without a document type. */
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
