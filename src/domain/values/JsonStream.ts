/** Streams JSON, so that a report with thousands of cues is never one string in memory. */
import { Predicate } from "effect"

/**
 * Yields `JSON.stringify(value, undefined, spaces)` one list element at a time, and a line break after indented JSON.
 * Fields that are other iterables become lists.
 */
export function* streamJson(value: object, spaces: 0 | 2 = 2): Generator<string> {
  const line = (depth: number) => (spaces === 0 ? "" : `\n${" ".repeat(spaces * depth)}`)
  let before = "{"
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue
    yield `${before}${line(1)}${JSON.stringify(name)}:${spaces === 0 ? "" : " "}`
    before = ","
    if (typeof field === "object" && Predicate.isIterable(field)) {
      let start = "["
      for (const element of field) {
        yield `${start}${line(2)}${indented(element, spaces, line(2))}`
        start = ","
      }
      yield start === "[" ? "[]" : `${line(1)}]`
    } else yield indented(field, spaces, line(1))
  }
  yield `${before === "{" ? "{" : line(0)}}${line(0)}`
}

/** In a list, a value that JSON cannot represent becomes null, as in `JSON.stringify`. */
const indented = (value: unknown, spaces: number, line: string): string => {
  const text = JSON.stringify(value, undefined, spaces) ?? "null"
  return spaces === 0 ? text : text.replaceAll("\n", line)
}
