/** Parses YAML or JSON (a subset of YAML); errors carry their line numbers. */
import { Array, Either } from "effect"
import { LineCounter, parseDocument, visit, type Document, type YAMLParseError } from "yaml"

/** A parsed text. */
interface Yaml {
  readonly value: unknown
  readonly document: Document
  /** Converts offsets in the text to lines. */
  readonly lines: LineCounter
}

/** Parses a text. */
export const readYaml = (text: string): Either.Either<Yaml, Array.NonEmptyReadonlyArray<YamlFault>> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const faults = yamlFaults(document, text, lines)
  if (Array.isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  // Aliases are resolved only here, so unknown names and alias bombs show up only now.
  return Either.try({
    try: (): Yaml => ({ value: document.toJS(), document, lines }),
    catch: (error) => Array.of(aliasFault(error, document, lines))
  })
}

/** A syntax error. */
interface YamlFault {
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** Returns the errors of a text, only the first of each line: further ones mostly follow from it. */
const yamlFaults = (document: Document, text: string, lines: LineCounter): ReadonlyArray<YamlFault> =>
  Array.dedupeWith(
    document.errors.map((error) => ({
      line: lines.linePos(unclosed(error) ? openedAt(document, error.pos[0]) : error.pos[0]).line,
      message: `${unreadable}: ${wordsOf(error, text)}`
    })),
    (one, other) => one.line === other.line
  )

/** Returns the error for an alias that cannot be resolved, found only when the document is converted to values. */
const aliasFault = (error: unknown, document: Document, lines: LineCounter): YamlFault => {
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
        : `${unreadable}: *${name} is an unknown alias; put text that begins with * in quotes: "*${name}"`
  }
}

const unreadable = "invalid YAML or JSON"

const unclosed = ({ message }: YAMLParseError): boolean => /^Missing closing ['"]quote/u.test(message)

/** Returns the start of an unclosed quote: the last quoted scalar. */
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
  if (unclosed(error)) return "the quote that begins here is never closed; add the closing quote"
  switch (code) {
    case "TAB_AS_INDENT":
      return "indented with a tab; use spaces"
    case "DUPLICATE_KEY":
      return `the key ${/^[^\s:,}]+/u.exec(at)?.[0] ?? ""} is given twice`
    case "BAD_SCALAR_START":
      return `put text that begins with ${at.slice(0, 1)} in quotes`
    case "BAD_DQ_ESCAPE":
      return `${/\\.?/u.exec(at)?.[0] ?? "\\"} is not valid in double quotes; use single quotes, or / in a path`
    case "MULTIPLE_DOCS":
      return "a second document begins here; expected one"
    case "MULTILINE_IMPLICIT_KEY":
      return "a key without a colon, or a line with the wrong indentation"
    case "BLOCK_AS_IMPLICIT_KEY":
      return "a second colon in one entry; put text that contains a colon and a space in quotes, and align keys of one level"
    case "BAD_INDENT":
      return /must start at the same column/u.test(said)
        ? "wrong indentation; keys of one level must start in the same column"
        : closing(said)
    case "MISSING_CHAR":
      if (said.startsWith("Sequence item without"))
        return "wrong indentation; keys of one level must start in the same column"
      return said.startsWith("Implicit map keys")
        ? "a key without a colon and a space after it"
        : closing(said)
    case "UNEXPECTED_TOKEN":
      return said.includes("block-seq-ind")
        ? "a list with dashes must start on its own line, below its key"
        : said
    default:
      return said
  }
}

/** The message for an unclosed bracket; other messages stay as they are. */
const closing = (said: string): string => {
  const bracket = /end with a ([\]}])$/u.exec(said)?.[1]
  return bracket === undefined ? said : `${bracket === "]" ? "[" : "{"} is opened but ${bracket} is missing`
}

const firstLine = (message: string): string => message.split("\n")[0] ?? message
