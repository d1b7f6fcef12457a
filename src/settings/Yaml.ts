/** Text in YAML or JSON (which YAML contains), read; or what keeps it from being read, each fault with its line. */
import { Array, Either } from "effect"
import { type Document, LineCounter, parseDocument } from "yaml"
import { aliasFault, type YamlFault, yamlFaults } from "./YamlFaults.ts"

/** What was read. */
interface Yaml {
  readonly value: unknown
  readonly document: Document
  /** Tells the line of a place in the text. */
  readonly lines: LineCounter
}

/** Reads a text. */
export const readYaml = (text: string): Either.Either<Yaml, Array.NonEmptyReadonlyArray<YamlFault>> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const faults = yamlFaults(document, text, lines)
  if (Array.isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  // What stands behind an alias is only looked for now: a name that none has, or aliases of aliases without an end.
  return Either.try({
    try: (): Yaml => ({ value: document.toJS(), document, lines }),
    catch: (error) => Array.of(aliasFault(error, document, lines))
  })
}
