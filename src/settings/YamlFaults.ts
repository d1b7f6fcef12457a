/** What the YAML parser does not read, in words for people who do not know YAML's own. */
import { Array } from "effect"
import { type Document, type LineCounter, visit, type YAMLParseError } from "yaml"

/** Why a text cannot be read. */
export interface YamlFault {
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** The faults of a text, the first of each line: what follows on the same line mostly follows from it. */
export const yamlFaults = (document: Document, text: string, lines: LineCounter): ReadonlyArray<YamlFault> =>
  Array.dedupeWith(
    document.errors.map((error) => ({
      line: lines.linePos(unclosed(error) ? openedAt(document, error.pos[0]) : error.pos[0]).line,
      message: `${unreadable}: ${wordsOf(error, text)}`
    })),
    (one, other) => one.line === other.line
  )

/** What is said of an alias that cannot be followed, which only shows when the values are taken out. */
export const aliasFault = (error: unknown, document: Document, lines: LineCounter): YamlFault => {
  const words = firstLine(error instanceof Error ? error.message : String(error))
  const name = /^Unresolved alias .*: (\S+)$/u.exec(words)?.[1]
  let line = 1
  visit(document, {
    Alias: (_, { source, range }) => {
      if (!range || source !== name) return undefined
      line = lines.linePos(range[0]).line
      return visit.BREAK
    }
  })
  return {
    line,
    message:
      name === undefined
        ? `${unreadable}: ${words}`
        : `${unreadable}: *${name} is an alias of nothing; a text that begins with * stands in quotes, "*${name}"`
  }
}

const unreadable = "not readable as YAML or JSON"

const unclosed = ({ message }: YAMLParseError): boolean => /^Missing closing ['"]quote/u.test(message)

/** Where the text begins that never ends: the last one in quotes. */
const openedAt = (document: Document, otherwise: number): number => {
  let at = otherwise
  visit(document, {
    Scalar: (_, { type, range }) => {
      if (range && (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE")) at = range[0]
    }
  })
  return at
}

const wordsOf = (error: YAMLParseError, text: string): string => {
  const { code, message, pos } = error
  const at = text.slice(pos[0])
  const said = firstLine(message)
  if (unclosed(error)) return "a quote that begins here is never closed"
  switch (code) {
    case "TAB_AS_INDENT":
      return "indented by a tab: YAML takes spaces only"
    case "DUPLICATE_KEY":
      return `the key ${/^[^\s:,}]+/u.exec(at)?.[0] ?? ""} stands here twice`
    case "BAD_SCALAR_START":
      return `a text that begins with ${at.slice(0, 1)} stands in quotes`
    case "BAD_DQ_ESCAPE":
      return `${/\\.?/u.exec(at)?.[0] ?? "\\"} means nothing in double quotes: a backslash stands in single quotes, and a path takes / as well`
    case "MULTIPLE_DOCS":
      return "a second document begins here, and one is expected"
    case "MULTILINE_IMPLICIT_KEY":
      return "a key without a colon behind it, or a line that is indented otherwise than those it belongs to"
    case "BLOCK_AS_IMPLICIT_KEY":
      return "a second colon in one entry: a text with a colon and a space in it stands in quotes, and keys that belong together begin in the same column"
    case "BAD_INDENT":
      return /must start at the same column/u.test(said)
        ? "indented otherwise than what it belongs to: keys that belong together begin in the same column"
        : closing(said)
    case "MISSING_CHAR":
      if (said.startsWith("Sequence item without"))
        return "indented otherwise than what it belongs to: keys that belong together begin in the same column"
      return said.startsWith("Implicit map keys")
        ? "a key without a colon and a space behind it"
        : closing(said)
    case "UNEXPECTED_TOKEN":
      return said.includes("block-seq-ind")
        ? "a list of entries with dashes begins on a line of its own, below its key"
        : said
    default:
      return said
  }
}

/** A list or mapping in brackets that does not end. */
const closing = (said: string): string => {
  const bracket = /end with a ([\]}])$/u.exec(said)?.[1]
  return bracket === undefined ? said : `${bracket === "]" ? "[" : "{"} is opened, and ${bracket} is missing`
}

const firstLine = (message: string): string => message.split("\n")[0] ?? message
