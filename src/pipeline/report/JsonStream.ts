/** Streams pretty-printed JSON, so that a report with thousands of cues is never one string in memory. */

/** Yields `JSON.stringify(value, undefined, 2)` and a line break, one list element at a time. */
export function* streamJson(value: object): Generator<string> {
  let before = "{"
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue
    yield `${before}\n  ${JSON.stringify(name)}: `
    before = ","
    if (Array.isArray(field) && field.length > 0) {
      for (const [at, element] of field.entries())
        yield `${at === 0 ? "[" : ","}\n    ${indented(element, "    ")}`
      yield "\n  ]"
    } else yield indented(field, "  ")
  }
  yield before === "{" ? "{}\n" : "\n}\n"
}

/** In a list, a value that JSON cannot represent becomes null, as in `JSON.stringify`. */
const indented = (value: unknown, by: string): string =>
  (JSON.stringify(value, undefined, 2) ?? "null").replaceAll("\n", `\n${by}`)
