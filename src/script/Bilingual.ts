/** Cues that say the same in two languages, one above the other: which lines are which. */
import { scriptOf } from "./Writing.ts"

/** Of a file's cues, those of which two lines differ in script or in number are told apart. */
export interface Languages {
  /** The script of the first language where the two have different ones. */
  readonly first: string | undefined
  readonly second: string | undefined
}

/** The scripts of the two languages of a file, where most cues of two lines and more agree on them. */
export const languagesOf = (texts: ReadonlyArray<string>): Languages => {
  const pairs = new Map<string, number>()
  let several = 0
  for (const text of texts) {
    const lines = text.split("\n").filter((line) => scriptOf(line) !== undefined)
    if (lines.length < 2) continue
    several++
    const first = scriptOf(lines[0] ?? "")
    const second = scriptOf(lines.at(-1) ?? "")
    if (first !== second) {
      const pair = `${first ?? ""} ${second ?? ""}`
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
  }
  for (const [pair, count] of pairs)
    if (count * 2 > several) {
      const [first, second] = pair.split(" ")
      return { first, second }
    }
  return { first: undefined, second: undefined }
}

/**
 * A cue's lines in one of its languages; undefined where it has none in it. Languages in different scripts are told apart line by line; others by the
 * upper and the lower half of the lines, and a single line is in both.
 */
export const linesIn = (
  text: string,
  which: "first" | "second",
  languages: Languages
): string | undefined => {
  const lines = text.split("\n")
  const { first, second } = languages
  if (first !== undefined && second !== undefined) {
    const other = which === "first" ? second : first
    const own = which === "first" ? first : second
    const kept = lines.filter((line, i) => {
      const script = scriptOf(line)
      if (script === undefined) return true
      if (script === own) return true
      if (script === other && lines.length > 1)
        return lines.length === 2 ? (i === 0) === (which === "first") : false
      return script !== other
    })
    return kept.some((line) => scriptOf(line) !== undefined) ? kept.join("\n") : undefined
  }
  if (lines.length < 2) return text
  const half = Math.ceil(lines.length / 2)
  return (which === "first" ? lines.slice(0, half) : lines.slice(half)).join("\n")
}
