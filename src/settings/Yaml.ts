/** Parses YAML or JSON (a subset of YAML); errors carry their line numbers. */
import { Array, Either } from "effect"
import { type Document, LineCounter, parseDocument } from "yaml"
import { aliasFault, type YamlFault, yamlFaults } from "./YamlFaults.ts"

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
