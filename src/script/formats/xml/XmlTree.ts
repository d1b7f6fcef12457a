/** Parses XML into a tree with line numbers, using `saxes`: expands no entities, loads nothing, bounds the depth. */
import { SaxesParser } from "saxes"

/** An element. Names are local: prefixes are resolved and dropped. */
export interface XmlElement {
  readonly name: string
  /** Its namespace; empty if it has none or its prefix is not declared. */
  readonly namespace: string
  /** Attributes by local name; `xml:` attributes by their full name, such as `xml:id`. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: ReadonlyArray<XmlElement | string>
  /** From 1. */
  readonly line: number
}

/** The result of parsing: the root, or the fault that makes the file unreadable. */
export interface XmlDocument {
  readonly root: XmlElement | undefined
  /** The first syntax errors, with their lines. Parsing continued after them. */
  readonly faults: ReadonlyArray<XmlFault>
  /** Whether the file declares entities, which are never expanded. */
  readonly declaresEntities: boolean
}

interface XmlFault {
  readonly line: number
  readonly message: string
}

/** Maximum depth of elements. TTML needs fewer than ten. */
const deepest = 256

/** Maximum number of faults kept. */
const maxFaults = 5

interface Open extends XmlElement {
  readonly attributes: Map<string, string>
  readonly children: Array<XmlElement | string>
}

/** Parses a text. Parsing continues after a syntax error, as long as the structure stays clear. Never throws. */
export const parseXml = (text: string): XmlDocument => {
  const parser = new SaxesParser({ xmlns: false, position: true })
  const faults: Array<XmlFault> = []
  const open: Array<Open> = []
  let root: Open | undefined
  let declaresEntities = false
  let line = 1
  const namespaces: Array<ReadonlyMap<string, string>> = [new Map()]
  const skipped = { depth: 0 }
  parser.on("error", (error) => {
    if (faults.length < maxFaults)
      faults.push({ line: parser.line, message: error.message.replace(/^\d+:\d+:\s*/u, "") })
  })
  parser.on("doctype", (doctype) => {
    declaresEntities ||= /<!ENTITY/u.test(doctype)
  })
  parser.on("opentagstart", () => {
    line = parser.line
  })
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length >= deepest || skipped.depth > 0) {
      skipped.depth++
      return
    }
    const scope = new Map(namespaces.at(-1))
    for (const [key, value] of Object.entries(attributes))
      if (key === "xmlns" || key.startsWith("xmlns:")) scope.set(key.slice(6), value.trim())
    namespaces.push(scope)
    const [local, prefix] = split(name)
    const element: Open = {
      name: local,
      namespace: scope.get(prefix) ?? "",
      attributes: new Map(),
      children: [],
      line
    }
    for (const [key, value] of Object.entries(attributes)) {
      const own = key.startsWith("xml:") ? key : split(key)[0]
      if (!key.startsWith("xmlns") && !element.attributes.has(own)) element.attributes.set(own, value)
    }
    const parent = open.at(-1)
    if (parent !== undefined) parent.children.push(element)
    else root ??= element
    open.push(element)
  })
  parser.on("closetag", () => {
    if (skipped.depth > 0) {
      skipped.depth--
      return
    }
    open.pop()
    namespaces.pop()
  })
  const add = (words: string): void => {
    if (skipped.depth === 0) open.at(-1)?.children.push(words)
  }
  parser.on("text", add)
  parser.on("cdata", add)
  try {
    // A bare ampersand would swallow the words after it; so would a quote that is not closed in its tag.
    const closed = text.replace(/(=\s*"[^"<>]*)>(?=[^"<]*<)/gu, '$1">')
    parser.write(closed.replace(/&(?!#?\w{1,32};)/gu, "&amp;")).close()
  } catch (thrown) {
    faults.push({ line: parser.line, message: thrown instanceof Error ? thrown.message : "unreadable XML" })
  }
  return { root, faults, declaresEntities }
}

const split = (name: string): readonly [local: string, prefix: string] => {
  const colon = name.indexOf(":")
  return colon < 0 ? [name, ""] : [name.slice(colon + 1), name.slice(0, colon)]
}

/** The child elements of an element. */
export const elementsOf = ({ children }: XmlElement): ReadonlyArray<XmlElement> =>
  children.filter((child) => typeof child !== "string")

/** All elements with a name in a tree, in document order. */
export const elementsNamed = (root: XmlElement, name: string): ReadonlyArray<XmlElement> => {
  const found: Array<XmlElement> = []
  const visit = (element: XmlElement): void => {
    if (element.name === name) found.push(element)
    for (const child of elementsOf(element)) visit(child)
  }
  visit(root)
  return found
}

/** All text in an element. */
export const textIn = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === "string" ? child : textIn(child))).join("")
