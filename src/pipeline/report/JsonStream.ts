/** JSON that people read, written piece by piece: a report of thousands of cues is never there as one text. */

/** What `JSON.stringify(value, undefined, 2)` and a line break make of an object, an element of its lists at a time. */
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

/** Inside a list, what JSON has no word for is null. */
const indented = (value: unknown, by: string): string =>
  (JSON.stringify(value, undefined, 2) ?? "null").replaceAll("\n", `\n${by}`)
