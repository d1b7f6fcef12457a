/** Text in YAML or JSON (which YAML contains), read; or what keeps it from being read, each fault with its line. */
import { Array, Either } from "effect"
import { type Document, LineCounter, parseDocument, visit, type YAMLParseError } from "yaml"

/** What was read. */
interface Yaml {
  readonly value: unknown
  readonly document: Document
  /** Tells the line of a place in the text. */
  readonly lines: LineCounter
}

/** Why a text cannot be read. */
interface YamlFault {
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** Reads a text. */
export const readYaml = (text: string): Either.Either<Yaml, Array.NonEmptyReadonlyArray<YamlFault>> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const faults = document.errors.map((error) =>
    unreadable(lines.linePos(error.pos[0]).line, firstLine(error.message) + keyAt(text, error))
  )
  if (Array.isNonEmptyArray(faults)) return Either.left(faults)
  // What stands behind an alias is only looked for now: a name that none has, or aliases of aliases without an end.
  return Either.try({
    try: (): Yaml => ({ value: document.toJS(), document, lines }),
    catch: (error) => Array.of(aliasFault(error, document, lines))
  })
}

const unreadable = (line: number, words: string): YamlFault => ({
  line,
  message: `not readable as YAML or JSON: ${words}`
})

const aliasFault = (error: unknown, document: Document, lines: LineCounter): YamlFault => {
  const words = error instanceof Error ? firstLine(error.message) : String(error)
  const name = /: (\S+)$/u.exec(words)?.[1]
  let line = 1
  visit(document, {
    Alias: (_, { source, range }) => {
      if (!range || source !== name) return undefined
      line = lines.linePos(range[0]).line
      return visit.BREAK
    }
  })
  return unreadable(line, words)
}

/** The key that stands twice, where that is what is wrong. */
const keyAt = (text: string, { code, pos }: YAMLParseError): string =>
  code === "DUPLICATE_KEY" ? `, found ${/^[^\s:,}]+/u.exec(text.slice(pos[0]))?.[0] ?? "one"} twice` : ""

const firstLine = (message: string): string => message.split("\n")[0] ?? message
